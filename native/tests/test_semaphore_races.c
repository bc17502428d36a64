/* SPDX-License-Identifier: MIT
 *
 * One thread held in each interesting window while others release, wait or leave.
 */
#include "failpoints.h"
#include "semaphore_waiter.h"

/* Releases from this thread; the deadline is that of the test program, for a release that waits hangs. */
static void release(nth_lifo_semaphore_t *semaphore, int32_t count) {
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, count), 0);
}

TEST(T14_a_release_before_the_push_reaches_the_waiter) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiter;
  hold_at(NTH__AT_SEMAPHORE_PUSH);
  start_waiter(&waiter, semaphore, ENDLESS);
  await_held();
  release(semaphore, 1); /* returns although the stack is locked */
  CHECK_EQ(nth_lifo_semaphore_permits(semaphore), 1);
  let_go();
  CHECK_EQ(join_waiter(&waiter), 0);
  destroy_quiet(semaphore, 0);
}

TEST(T15_a_release_between_the_last_look_and_the_unlock_reaches_the_waiter) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t parked, holder;
  start_parked(&parked, semaphore, ENDLESS, 1);
  hold_at(NTH__AT_SEMAPHORE_UNLOCK);
  start_waiter(&holder, semaphore, ENDLESS);
  await_held(); /* has found no waiter to wake and is about to clear LOCKED */
  release(semaphore, 2);
  let_go();
  CHECK_EQ(join_waiter(&holder), 0);
  CHECK_EQ(join_waiter(&parked), 0);
  destroy_quiet(semaphore, 0);
}

TEST(T15_the_holder_that_leaves_by_timeout_wakes_for_others) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t parked, leaver;
  start_parked(&parked, semaphore, ENDLESS, 1);
  start_parked(&leaver, semaphore, 300 * MS, 2);
  hold_at(NTH__AT_SEMAPHORE_UNLOCK); /* in the unlock after its removal */
  await_held();
  CHECK_EQ(nth_lifo_semaphore_waiters(semaphore), 1);
  release(semaphore, 1);
  let_go();
  CHECK_EQ(join_waiter(&parked), 0);
  CHECK_EQ(join_waiter(&leaver), -ETIMEDOUT);
  destroy_quiet(semaphore, 0);
}

static void release_two(void *argument) {
  release(argument, 2);
}

TEST(T15_a_release_that_meets_another_releases_lock_returns_at_once) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiters[3];
  for (int i = 0; i < 3; i++) {
    start_parked(&waiters[i], semaphore, ENDLESS, i + 1);
  }
  hold_at(NTH__AT_SEMAPHORE_UNLOCK);
  thread_t releaser;
  start_thread(&releaser, release_two, semaphore);
  await_held(); /* two claimed and popped */
  CHECK_EQ(nth_lifo_semaphore_waiters(semaphore), 1);
  release(semaphore, 1);
  let_go();
  join_thread(&releaser);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(join_waiter(&waiters[i]), 0);
  }
  destroy_quiet(semaphore, 0);
}

TEST(T15_a_try_wait_may_barge_while_the_stack_is_locked_and_nothing_is_lost) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiter;
  hold_at(NTH__AT_SEMAPHORE_PUSH);
  start_waiter(&waiter, semaphore, ENDLESS);
  await_held();
  release(semaphore, 1);
  CHECK_EQ(nth_lifo_semaphore_try_wait(semaphore), 0);
  let_go();
  UNTIL(nth_lifo_semaphore_waiters(semaphore) == 1);
  release(semaphore, 1);
  CHECK_EQ(join_waiter(&waiter), 0);
  destroy_quiet(semaphore, 0);
}
