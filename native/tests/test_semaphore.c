/* SPDX-License-Identifier: MIT
 *
 * The semaphore's contract, one call after the other.
 */
#include "failpoints.h"
#include "semaphore_waiter.h"

TEST(T66_counts_out_of_range_are_refused_and_change_nothing) {
  nth_lifo_semaphore_t *semaphore = NULL;
  CHECK_EQ(nth_lifo_semaphore_create(-1, 0, &semaphore), -EINVAL);
  CHECK_EQ(nth_lifo_semaphore_create(INT32_MIN, 0, &semaphore), -EINVAL);
  CHECK(semaphore == NULL);
  semaphore = new_semaphore(3, 0);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 0), -EINVAL);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, -1), -EINVAL);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, INT32_MIN), -EINVAL);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, INT32_MAX), -EOVERFLOW);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, INT32_MAX - 2), -EOVERFLOW);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, INT32_MAX - 3), 0);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), -EOVERFLOW);
  destroy_quiet(semaphore, INT32_MAX);
}

TEST(initial_permits_are_taken_without_waiting) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(3, 0);
  count_points();
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, -1), 0);
  CHECK_EQ(nth_lifo_semaphore_try_wait(semaphore), 0);
  CHECK_EQ(nth_lifo_semaphore_permits(semaphore), 1);
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 0), 0);
  CHECK_EQ(nth_lifo_semaphore_try_wait(semaphore), -EAGAIN);
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 0), -ETIMEDOUT);
  CHECK_EQ(passed(NTH__AT_PARK), 0);
  destroy_quiet(semaphore, 0);
}

TEST(T19_the_most_recently_parked_is_woken_first) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiters[8];
  for (int i = 0; i < 8; i++) {
    start_parked(&waiters[i], semaphore, ENDLESS, i + 1);
  }
  for (int i = 7; i >= 0; i--) {
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(join_waiter(&waiters[i]), 0);
    for (int j = 0; j < i; j++) {
      CHECK(!atomic_load(&waiters[j].done));
    }
  }
  destroy_quiet(semaphore, 0);
}

TEST(T19_a_timeout_in_the_middle_keeps_the_order) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiters[3];
  start_parked(&waiters[0], semaphore, ENDLESS, 1);
  start_parked(&waiters[1], semaphore, 200 * MS, 2);
  start_parked(&waiters[2], semaphore, ENDLESS, 3);
  CHECK_EQ(join_waiter(&waiters[1]), -ETIMEDOUT);
  CHECK_EQ(nth_lifo_semaphore_waiters(semaphore), 2);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(join_waiter(&waiters[2]), 0);
  CHECK(!atomic_load(&waiters[0].done));
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(join_waiter(&waiters[0]), 0);
  destroy_quiet(semaphore, 0);
}

TEST(T57_one_release_of_n_permits_wakes_as_many_as_wait_and_keeps_the_rest) {
  for (int32_t waiting = 0; waiting <= 4; waiting++) {
    nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
    waiter_t waiters[4];
    for (int32_t i = 0; i < waiting; i++) {
      start_parked(&waiters[i], semaphore, ENDLESS, i + 1);
    }
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 4), 0);
    for (int32_t i = 0; i < waiting; i++) {
      CHECK_EQ(join_waiter(&waiters[i]), 0);
    }
    destroy_quiet(semaphore, 4 - waiting);
  }
}

TEST(T57_the_largest_release_with_waiters) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiters[2];
  start_parked(&waiters[0], semaphore, ENDLESS, 1);
  start_parked(&waiters[1], semaphore, ENDLESS, 2);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, INT32_MAX), 0);
  CHECK_EQ(join_waiter(&waiters[0]), 0);
  CHECK_EQ(join_waiter(&waiters[1]), 0);
  destroy_quiet(semaphore, INT32_MAX - 2);
}

static void release_one(void *argument) {
  CHECK_EQ(nth_lifo_semaphore_release(argument, 1), 0);
}

TEST(T56_two_releases_during_one_wake_return_two_waiters) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiters[2];
  start_parked(&waiters[0], semaphore, ENDLESS, 1);
  start_parked(&waiters[1], semaphore, ENDLESS, 2);
  hold_at(NTH__AT_GRANT);
  thread_t releaser;
  start_thread(&releaser, release_one, semaphore);
  await_held(); /* a wake is in flight */
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(join_waiter(&waiters[0]), 0);
  let_go();
  CHECK_EQ(join_waiter(&waiters[1]), 0);
  join_thread(&releaser);
  destroy_quiet(semaphore, 0);
}

TEST(T53_releases_for_nobody_make_no_system_call) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  count_points();
  for (int i = 0; i < 1000000; i++) {
    nth_lifo_semaphore_release(semaphore, 1);
    CHECK_EQ(nth_lifo_semaphore_wait(semaphore, -1), 0);
  }
  CHECK_EQ(passed(NTH__AT_GRANT) + passed(NTH__AT_PARK), 0);
  destroy_quiet(semaphore, 0);
}

static nth_lifo_semaphore_t *unlocked;
static _Atomic int granted;

static void check_unlocked(nth__failpoint_t point) {
  if (point == NTH__AT_GRANT) {
    CHECK((word_of(unlocked) & NTH__LOCKED) == 0); /* no other thread could have set it */
    atomic_fetch_add(&granted, 1);
  }
}

TEST(T52_wakes_are_made_after_the_unlock) {
  unlocked = new_semaphore(0, 0);
  waiter_t waiters[4];
  for (int i = 0; i < 4; i++) {
    start_parked(&waiters[i], unlocked, ENDLESS, i + 1);
  }
  atomic_store(&nth__failpoint_hook, check_unlocked);
  CHECK_EQ(nth_lifo_semaphore_release(unlocked, 4), 0);
  CHECK_EQ(atomic_load(&granted), 4);
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(join_waiter(&waiters[i]), 0);
  }
  destroy_quiet(unlocked, 0);
}

static void park_and_compare(void *argument) {
  CHECK_EQ(nth_thread_set_nice(own_scheduling().nice + 1), 0);
  scheduling_t before = own_scheduling();
  CHECK_EQ(nth_lifo_semaphore_wait(argument, ENDLESS), 0);
  scheduling_t after = own_scheduling();
  CHECK(same_scheduling(&after, &before));
}

TEST(T58_parking_leaves_the_threads_scheduling_alone) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, -1);
  thread_t thread;
  start_thread(&thread, park_and_compare, semaphore);
  UNTIL(nth_lifo_semaphore_waiters(semaphore) == 1);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  join_thread(&thread);
  destroy_quiet(semaphore, 0);
}

TEST(T40_the_process_ends_while_threads_are_parked) {
  static waiter_t waiters[4]; /* outlive this function, as their threads do */
  static nth_lifo_semaphore_t *semaphore;
  semaphore = new_semaphore(0, -1);
  for (int i = 0; i < 4; i++) {
    start_parked(&waiters[i], semaphore, -1, i + 1);
    forget_thread(&waiters[i].thread);
  }
}
