/* SPDX-License-Identifier: MIT
 *
 * Systems whose poller is never replaced by another one.
 */
#include "errors.h"
#include "poller.h"

int nth__poller_open_another(const nth__poller_t *poller, nth__poller_t *another) {
  (void)poller, (void)another;
  return -ENOSYS;
}

int nth__poller_replace(const nth__poller_t *poller, nth__poller_t *another) {
  (void)poller, (void)another;
  return -ENOSYS;
}

void nth__poller_give_up(nth__poller_t *another) {
  (void)another;
}
