/* SPDX-License-Identifier: MIT
 *
 * Systems without a back end for the event loop: no poller can be opened, so no other call ever succeeds.
 */
#include "poller.h"

#include <errno.h>

int nth__poller_open(nth__poller_t *poller) {
  (void)poller;
  return -ENOSYS;
}

void nth__poller_close(nth__poller_t *poller) {
  (void)poller;
}

int nth__poller_add(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  (void)poller, (void)descriptor, (void)interest, (void)token;
  return -ENOSYS;
}

int nth__poller_modify(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  (void)poller, (void)descriptor, (void)interest, (void)token;
  return -ENOSYS;
}

int nth__poller_remove(nth__poller_t *poller, int32_t descriptor) {
  (void)poller, (void)descriptor;
  return -ENOSYS;
}

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

int32_t nth__poller_wait(
    nth__poller_t *poller, nth_event_t *events, int32_t capacity, int64_t timeout_ns, bool *woken) {
  (void)poller, (void)events, (void)capacity, (void)timeout_ns, (void)woken;
  return -ENOSYS;
}

void nth__poller_wake(const nth__poller_t *poller) {
  (void)poller;
}

bool nth__poller_drain(const nth__poller_t *poller) {
  (void)poller;
  return false;
}

int32_t nth_io_set_nonblocking(int32_t descriptor) {
  (void)descriptor;
  return -ENOSYS;
}

int32_t nth_io_accept(int32_t descriptor, void *address, int32_t *length) {
  (void)descriptor, (void)address, (void)length;
  return -ENOSYS;
}

int64_t nth_io_read(int32_t descriptor, void *memory, uint64_t length) {
  (void)descriptor, (void)memory, (void)length;
  return -ENOSYS;
}

int64_t nth_io_readv(int32_t descriptor, const nth_buffer_t *buffers, int32_t count) {
  (void)descriptor, (void)buffers, (void)count;
  return -ENOSYS;
}

int64_t nth_io_writev(int32_t descriptor, const nth_buffer_t *buffers, int32_t count) {
  (void)descriptor, (void)buffers, (void)count;
  return -ENOSYS;
}

int32_t nth_io_shutdown(int32_t descriptor, int32_t how) {
  (void)descriptor, (void)how;
  return -ENOSYS;
}

int32_t nth_io_reset(int32_t descriptor) {
  (void)descriptor;
  return -ENOSYS;
}

int32_t nth_io_close(int32_t descriptor) {
  (void)descriptor;
  return -ENOSYS;
}
