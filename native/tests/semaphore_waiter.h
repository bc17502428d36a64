/* SPDX-License-Identifier: MIT
 *
 * A thread that waits once on a semaphore.
 */
#ifndef TESTS_SEMAPHORE_WAITER_H
#define TESTS_SEMAPHORE_WAITER_H

#include "harness.h"
#include "lifo_semaphore_word.h"
#include "native_threading.h"

typedef struct waiter {
  thread_t thread;
  nth_lifo_semaphore_t *semaphore;
  int64_t timeout_ns;
  int64_t elapsed_ns;
  int32_t result;
  _Atomic bool done;
} waiter_t;

nth_lifo_semaphore_t *new_semaphore(int32_t permits, int64_t linger_ns);

/* Checks that the state word is what it must be while nothing happens (T6), and destroys. */
void destroy_quiet(nth_lifo_semaphore_t *semaphore, int32_t permits);

uint64_t word_of(const nth_lifo_semaphore_t *semaphore);

void start_waiter(waiter_t *waiter, nth_lifo_semaphore_t *semaphore, int64_t timeout_ns);

/* The same, and waits until that many are on the stack. */
void start_parked(waiter_t *waiter, nth_lifo_semaphore_t *semaphore, int64_t timeout_ns, int32_t waiters);

int32_t join_waiter(waiter_t *waiter);

#endif
