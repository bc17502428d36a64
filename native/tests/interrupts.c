/* SPDX-License-Identifier: MIT
 *
 * The signal behind interrupts.h.
 */
#include "interrupts.h"

#include <signal.h>
#include <string.h>

static _Atomic int64_t count;

static void on_signal(int number) {
  (void)number;
  atomic_fetch_add(&count, 1);
}

void handle_interrupts(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal; /* without SA_RESTART */
  CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

void interrupt(const thread_t *thread) {
  int error = pthread_kill((pthread_t)thread->id, SIGUSR1);
  CHECK(error == 0 || error == ESRCH); /* it may be over by now */
}

int64_t interrupts(void) {
  return atomic_load(&count);
}
