/* SPDX-License-Identifier: MIT
 *
 * The thread behind semaphore_waiter.h.
 */
#include "semaphore_waiter.h"

nth_lifo_semaphore_t *new_semaphore(int32_t permits, int64_t linger_ns) {
  nth_lifo_semaphore_t *semaphore = NULL;
  CHECK_EQ(nth_lifo_semaphore_create(permits, linger_ns, &semaphore), 0);
  CHECK(semaphore != NULL);
  return semaphore;
}

uint64_t word_of(const nth_lifo_semaphore_t *semaphore) {
  return atomic_load((const _Atomic uint64_t *)semaphore); /* its first member */
}

void destroy_quiet(nth_lifo_semaphore_t *semaphore, int32_t permits) {
  CHECK_EQ(word_of(semaphore), permits);
  nth_lifo_semaphore_destroy(semaphore);
}

static void run_waiter(void *argument) {
  waiter_t *waiter = argument;
  int64_t began = now_ns();
  waiter->result = nth_lifo_semaphore_wait(waiter->semaphore, waiter->timeout_ns);
  waiter->elapsed_ns = now_ns() - began;
  atomic_store(&waiter->done, true);
}

void start_waiter(waiter_t *waiter, nth_lifo_semaphore_t *semaphore, int64_t timeout_ns) {
  waiter->semaphore = semaphore;
  waiter->timeout_ns = timeout_ns;
  atomic_store(&waiter->done, false);
  start_thread(&waiter->thread, run_waiter, waiter);
}

void start_parked(waiter_t *waiter, nth_lifo_semaphore_t *semaphore, int64_t timeout_ns, int32_t waiters) {
  start_waiter(waiter, semaphore, timeout_ns);
  UNTIL(nth_lifo_semaphore_waiters(semaphore) == waiters);
}

int32_t join_waiter(waiter_t *waiter) {
  join_thread(&waiter->thread);
  return waiter->result;
}
