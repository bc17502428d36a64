/* SPDX-License-Identifier: MIT
 *
 * Timeouts of the semaphore: never early, whatever disturbs, and exact about who got the permit.
 */
#include "failpoints.h"
#include "semaphore_waiter.h"

static void check_times_out(nth_lifo_semaphore_t *semaphore, int64_t timeout_ns) {
  int64_t began = now_ns();
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, timeout_ns), -ETIMEDOUT);
  int64_t elapsed = now_ns() - began;
  CHECK(elapsed >= timeout_ns);
  /* A shared machine; wrong arithmetic is off by far more, or indefinitely. */
  CHECK(elapsed < timeout_ns + 10 * SEC);
}

TEST(T21_finite_timeouts_are_never_early) {
  static const int64_t timeouts[] = {0, 1, 1 * US, 30 * US, 1 * MS, 50 * MS, 1100 * MS};
  for (int64_t linger_ns = -1; linger_ns <= 0; linger_ns++) {
    nth_lifo_semaphore_t *semaphore = new_semaphore(0, linger_ns);
    for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
      check_times_out(semaphore, timeouts[i]);
    }
    destroy_quiet(semaphore, 0);
  }
}

TEST(T21_long_and_endless_timeouts_end_with_the_permit) {
  static const int64_t timeouts[] = {10 * SEC, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX, -1, INT64_MIN};
  enum { COUNT = sizeof timeouts / sizeof timeouts[0] };
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiters[COUNT];
  for (int i = 0; i < COUNT; i++) {
    start_parked(&waiters[i], semaphore, timeouts[i], i + 1);
  }
  spin_for(50 * MS); /* an overflown deadline lies in the past */
  CHECK_EQ(nth_lifo_semaphore_waiters(semaphore), COUNT);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, COUNT), 0);
  for (int i = 0; i < COUNT; i++) {
    CHECK_EQ(join_waiter(&waiters[i]), 0);
  }
  destroy_quiet(semaphore, 0);
}

TEST(T12_a_popped_waiter_whose_time_is_over_takes_its_permit) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiter;
  hold_at(NTH__AT_TIMED_OUT);
  start_waiter(&waiter, semaphore, 1 * MS);
  await_held(); /* its time is over, and it is still on the stack */
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(word_of(semaphore), 0); /* popped, its permit taken off */
  let_go();
  CHECK_EQ(join_waiter(&waiter), 0);
  destroy_quiet(semaphore, 0);
}

static void release_one(void *argument) {
  CHECK_EQ(nth_lifo_semaphore_release(argument, 1), 0);
}

TEST(T12_a_waiter_popped_but_not_yet_woken_waits_for_its_token_past_its_time) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiter;
  start_parked(&waiter, semaphore, 100 * MS, 1);
  hold_at(NTH__AT_GRANT);
  thread_t releaser;
  start_thread(&releaser, release_one, semaphore);
  await_held();
  count_points();
  UNTIL(passed(NTH__AT_TIMED_OUT) == 1);
  spin_for(5 * MS);
  CHECK(!atomic_load(&waiter.done));
  let_go();
  CHECK_EQ(join_waiter(&waiter), 0);
  join_thread(&releaser);
  destroy_quiet(semaphore, 0);
}

TEST(T13_whatever_way_a_wait_ended_the_next_release_wakes) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t first, second;
  for (int way = 0; way < 4; way++) {
    if (way == 0) { /* a timeout, off the stack by itself */
      CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 1 * MS), -ETIMEDOUT);
    } else if (way == 1) { /* a success */
      start_parked(&first, semaphore, ENDLESS, 1);
      CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
      CHECK_EQ(join_waiter(&first), 0);
    } else if (way == 2) { /* popped after its time */
      hold_at(NTH__AT_TIMED_OUT);
      start_waiter(&first, semaphore, 1 * MS);
      await_held();
      CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
      let_go();
      CHECK_EQ(join_waiter(&first), 0);
    } else { /* popped by its own unlock */
      hold_at(NTH__AT_SEMAPHORE_PUSH);
      start_waiter(&first, semaphore, ENDLESS);
      await_held();
      CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
      let_go();
      CHECK_EQ(join_waiter(&first), 0);
    }
    start_parked(&second, semaphore, ENDLESS, 1);
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(join_waiter(&second), 0);
  }
  destroy_quiet(semaphore, 0);
}

typedef struct racer {
  nth_lifo_semaphore_t *semaphore;
  int64_t end;
  int64_t acquired;
} racer_t;

static void wait_one_ms(void *argument) {
  racer_t *racer = argument;
  while (now_ns() < racer->end) {
    racer->acquired += nth_lifo_semaphore_wait(racer->semaphore, 1 * MS) == 0;
  }
}

TEST(T12_releases_at_the_moment_of_the_timeout_conserve_permits) {
  racer_t racer = {new_semaphore(0, 0), stress_end(), 0};
  thread_t thread;
  start_thread(&thread, wait_one_ms, &racer);
  int64_t released = 0;
  for (uint32_t random = 7; now_ns() < racer.end;) {
    UNTIL(nth_lifo_semaphore_waiters(racer.semaphore) == 1 || now_ns() >= racer.end);
    spin_for(1 * MS + (int64_t)(next_random(&random) % 200) * US - 100 * US);
    CHECK_EQ(nth_lifo_semaphore_release(racer.semaphore, 1), 0);
    released++;
  }
  join_thread(&thread);
  int64_t left = nth_lifo_semaphore_permits(racer.semaphore);
  CHECK_EQ(racer.acquired + left, released);
  destroy_quiet(racer.semaphore, (int32_t)left);
}
