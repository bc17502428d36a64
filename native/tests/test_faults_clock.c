/* SPDX-License-Identifier: MIT
 *
 * A clock that leaps: a process that was stopped and continues finds hours gone. Waits end early by that much; nothing else happens.
 */
#include "clock_door.h"
#include "event_loop_support.h"
#include "harness.h"
#include "native_threading.h"
#include "prim/prim.h"
#include "semaphore_waiter.h"

static const int64_t hour = 3600 * SEC;

TEST(timers_that_a_leap_passed_fire_once_each_in_their_order) {
  fixture_t *fixture = open_loop();
  int64_t now = nth__now_ns();
  static const int hours[] = {3, 1, 2, 30};
  for (uint64_t i = 0; i < 4; i++) {
    timer_at(fixture, i, now + hours[i] * hour);
  }
  CHECK_EQ(poll_for(fixture, 0), 0);
  leap(10 * hour);
  CHECK_EQ(poll_for(fixture, -1), 3);
  CHECK_EQ(fixture->events[0].token, 1);
  CHECK_EQ(fixture->events[1].token, 2);
  CHECK_EQ(fixture->events[2].token, 0);
  CHECK_EQ(poll_for(fixture, 1 * MS), 0);
  leap(30 * hour);
  CHECK_EQ(poll_one(fixture, -1).token, 3);
  close_loop(fixture);
}

static nth_lifo_semaphore_t *ends[2];

static void play(void *argument) {
  (void)argument;
  for (int i = 0; i < 2000; i++) {
    CHECK_EQ(nth_lifo_semaphore_wait(ends[0], -1), 0);
    CHECK_EQ(nth_lifo_semaphore_release(ends[1], 1), 0);
  }
}

TEST(a_clock_that_leaps_at_every_third_reading_loses_no_wake) {
  ends[0] = new_semaphore(0, 20 * US); /* lingering: it reads the clock all the time */
  ends[1] = new_semaphore(0, 20 * US);
  leap_at_every(3, hour);
  thread_t thread;
  start_thread(&thread, play, NULL);
  for (int i = 0; i < 2000; i++) {
    CHECK_EQ(nth_lifo_semaphore_release(ends[0], 1), 0);
    int32_t result;
    do {
      result = nth_lifo_semaphore_wait(ends[1], i % 2 == 0 ? -1 : 10 * hour);
    } while (result == -ETIMEDOUT); /* leapt over; the permit is still to come */
    CHECK_EQ(result, 0);
  }
  join_thread(&thread);
  leap_at_every(0, 0);
  destroy_quiet(ends[0], 0);
  destroy_quiet(ends[1], 0);
}

TEST(a_latency_measured_while_the_clock_leaps_is_within_its_bounds) {
  leap_at_every(4, hour);
  int64_t latency = nth_wake_latency_ns();
  leap_at_every(0, 0);
  CHECK(latency == 0 || (latency >= 5 * US && latency <= 50 * US));
}
