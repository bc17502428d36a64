/* SPDX-License-Identifier: MIT
 *
 * Waits that a signal interrupts: they end for no reason, and must continue, or be over for good by then. Elsewhere a wait ends
 * for no reason only by a wake that was meant for another word at its address.
 */
#include <sys/mman.h>

#include "failpoints.h"
#include "interrupts.h"
#include "semaphore_waiter.h"
#include "signal_worker.h"

/* ---- Timeouts ------------------------------------------------------------------------------------------ */

TEST(T21_a_signal_storm_does_not_end_a_wait_early) {
  handle_interrupts();
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiter;
  start_waiter(&waiter, semaphore, 100 * MS);
  while (!atomic_load(&waiter.done)) {
    interrupt(&waiter.thread);
    spin_for(50 * US);
  }
  CHECK_EQ(join_waiter(&waiter), -ETIMEDOUT);
  CHECK(waiter.elapsed_ns >= 100 * MS);
  CHECK(interrupts() > 0);
  destroy_quiet(semaphore, 0);
}

TEST(T17_T21_a_signal_storm_does_not_end_a_park_early) {
  handle_interrupts();
  nth_worker_signal_t *signal = new_signal();
  parked_t parked = {0};
  count_points();
  start_worker(&parked, signal, 100 * MS);
  while (!atomic_load(&parked.done)) {
    interrupt(&parked.thread);
    spin_for(50 * US);
  }
  CHECK_EQ(join_worker(&parked), NTH_PARK_TIMED_OUT);
  CHECK(parked.elapsed_ns >= 100 * MS);
  CHECK(passed(NTH__AT_PARK) > 1);
  destroy_signal(signal);
}

/* ---- A waiter that has gone before its waker's system call --------------------------------------------- */

static void *wait_on(void *semaphore) {
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, ENDLESS), 0);
  return NULL;
}

static void release_one(void *argument) {
  CHECK_EQ(nth_lifo_semaphore_release(argument, 1), 0);
}

TEST(T91_the_wakers_last_step_survives_the_waiters_stack) {
  handle_interrupts();

  /* A stack of its own, so that it can be unmapped. */
  size_t size = 1 << 20;
  void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstack(&attributes, stack, size), 0);

  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  thread_t waiter, releaser;
  pthread_t id;
  count_points();
  CHECK_EQ(pthread_create(&id, &attributes, wait_on, semaphore), 0);
  waiter.id = (uintptr_t)id;
  pthread_attr_destroy(&attributes);
  UNTIL(passed(NTH__AT_PARK) == 1);

  hold_at(NTH__AT_UNPARK);
  start_thread(&releaser, release_one, semaphore);
  await_held(); /* the token is set; the wake has not been made */
  interrupt(&waiter); /* wakes the waiter for no reason, or it never slept */
  join_thread(&waiter);
  CHECK_EQ(munmap(stack, size), 0);
  let_go();
  join_thread(&releaser);
  destroy_quiet(semaphore, 0);
}

static void request_one(void *argument) {
  CHECK_EQ(nth_worker_signal_request(argument, 1), NTH_REQUEST_WOKE);
}

TEST(T91_the_requesters_last_step_survives_the_workers_parker) {
  handle_interrupts();
  nth_worker_signal_t *signal = new_signal();
  parked_t parked = {0};
  count_points();
  start_worker(&parked, signal, ENDLESS);
  UNTIL(passed(NTH__AT_PARK) == 1);
  hold_at(NTH__AT_UNPARK);
  thread_t requester;
  start_thread(&requester, request_one, signal);
  await_held(); /* the token is set; the wake has not been made */
  interrupt(&parked.thread);
  CHECK_EQ(join_worker(&parked), NTH_PARK_CHOSEN); /* and has freed its parker */
  let_go();
  join_thread(&requester);
  destroy_signal(signal);
}
