/* SPDX-License-Identifier: MIT
 *
 * Timers of an event loop.
 */
#include "event_loop_support.h"

TEST(T69_arming_and_firing_due_timers_makes_no_system_call) {
  fixture_t *f = open_loop();
  int64_t timer = nth_event_loop_timer_create(f->loop, 1);
  int64_t before = calls_of(f);
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, now_ns() + 3600 * SEC), 0);
    CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, 0), 0);
    CHECK_EQ(poll_one(f, ENDLESS).kind, NTH_EVENT_TIMER);
  }
  CHECK_EQ(calls_of(f) - before, 0);
  close_loop(f);
}

TEST(T74_n_polls_fire_it_n_times) {
  fixture_t *f = open_loop();
  int64_t timer = timer_at(f, 1, 0);
  for (int i = 0; i < 1000; i++) {
    CHECK_EQ(poll_one(f, ENDLESS).token, 1);
    CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, 0), 0);
  }
  close_loop(f);
}

TEST(T75_equal_deadlines_fire_in_arming_order) {
  enum { TIMERS = 10000 };
  fixture_t *f = open_loop();
  static int64_t timers[TIMERS];
  for (int i = 0; i < TIMERS; i++) {
    timers[i] = nth_event_loop_timer_create(f->loop, (uint64_t)i);
  }
  int64_t deadline = now_ns() + 1;
  for (int i = TIMERS - 1; i >= 0; i--) {
    CHECK_EQ(nth_event_loop_timer_arm(f->loop, timers[i], deadline), 0);
  }
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timers[TIMERS / 2], deadline), 0); /* anew: the last one now */
  CHECK_EQ(poll_for(f, ENDLESS), TIMERS);
  int expected = TIMERS - 1;
  for (int i = 0; i < TIMERS - 1; i++, expected--) {
    expected -= expected == TIMERS / 2;
    CHECK_EQ(f->events[i].token, expected);
  }
  CHECK_EQ(f->events[TIMERS - 1].token, TIMERS / 2);
  close_loop(f);
}

TEST(T76_any_number_is_due_at_once_and_those_cancelled_in_the_batch_do_not_fire) {
  static const int counts[] = {129, 1000, 10000};
  static int64_t timers[10000];
  for (size_t c = 0; c < 3; c++) {
    int count = counts[c];
    fixture_t *f = open_loop();
    for (int i = 0; i < count; i++) {
      timers[i] = timer_at(f, (uint64_t)i, 0);
    }
    CHECK_EQ(poll_for(f, 0), count);
    int seen = 0;
    for (int i = 0; i < count; i++) {
      if (f->events[i].kind == NTH_EVENT_NONE) {
        continue;
      }
      f->events[i].kind = NTH_EVENT_NONE;
      seen++;
      CHECK_EQ(f->events[i].token, i);
      CHECK_EQ(nth_event_loop_timer_cancel(f->loop, timers[i]), 0); /* seen to already */
      if (i % 3 == 0 && i + 2 < count) {
        CHECK_EQ(nth_event_loop_timer_cancel(f->loop, timers[i + 1]), 1);
        CHECK_EQ(nth_event_loop_timer_cancel(f->loop, timers[i + 1]), 0);
        CHECK_EQ(nth_event_loop_timer_destroy(f->loop, timers[i + 2]), 0);
      }
    }
    CHECK_EQ(seen, (count + 2) / 3 + (count % 3 == 2));
    CHECK_EQ(poll_for(f, 0), 0);
    close_loop(f);
  }
}

TEST(T76_one_armed_anew_in_the_batch_fires_later_and_once) {
  fixture_t *f = open_loop();
  timer_at(f, 1, 0);
  int64_t second = timer_at(f, 2, 0);
  CHECK_EQ(poll_for(f, 0), 2);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, second, 0), 0);
  CHECK_EQ(f->events[0].kind, NTH_EVENT_TIMER);
  CHECK_EQ(f->events[1].kind, NTH_EVENT_NONE);
  CHECK_EQ(poll_one(f, 0).token, 2);
  CHECK_EQ(poll_for(f, 0), 0);
  close_loop(f);
}

TEST(T77_T81_never_early_by_the_real_clock_and_hardly_late) {
  fixture_t *f = open_loop();
  int64_t timer = nth_event_loop_timer_create(f->loop, 1);
  CHECK_EQ(poll_for(f, 0), 0);
  spin_for(50 * MS); /* a long callback */
  int64_t deadline = now_ns() + 10 * MS;
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, deadline), 0);
  CHECK_EQ(poll_one(f, ENDLESS).token, 1);
  CHECK(now_ns() >= deadline);

  /* 50 times, and further until it was on time once: the machine may be busy with something else for a while. */
  int64_t least_late = INT64_MAX, waits = stats_of(f).waits, rounds = 0, end = now_ns() + 10000 * MS;
  for (; rounds < 50 || (least_late > timer_lateness_ns && now_ns() < end); rounds++) {
    deadline = now_ns() + 100 * US;
    CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, deadline), 0);
    CHECK_EQ(poll_one(f, ENDLESS).token, 1);
    int64_t late = now_ns() - deadline;
    CHECK(late >= 0);
    least_late = late < least_late ? late : least_late;
  }
  CHECK(least_late <= timer_lateness_ns);
  CHECK(stats_of(f).waits - waits <= 2 * rounds);
  close_loop(f);
}

TEST(a_period_does_not_drift) {
  fixture_t *f = open_loop();
  int64_t timer = nth_event_loop_timer_create(f->loop, 1);
  int64_t begin = now_ns();
  for (int i = 1; i <= 100; i++) { /* absolute deadlines: lateness does not add up */
    CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, begin + i * 500 * US), 0);
    CHECK_EQ(poll_one(f, ENDLESS).token, 1);
    CHECK(now_ns() >= begin + i * 500 * US);
  }
  CHECK(now_ns() - begin < 50 * MS + SEC); /* wide: the machine may be busy */
  close_loop(f);
}

TEST(the_earlier_of_timeout_and_timer_ends_the_poll) {
  fixture_t *f = open_loop();
  int64_t timer = timer_at(f, 1, now_ns() + 3600 * SEC);
  CHECK_EQ(poll_for(f, MS), 0);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, now_ns() + MS), 0);
  CHECK_EQ(poll_one(f, DEADLINE_NS).token, 1);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, INT64_MAX), 0);
  CHECK_EQ(poll_for(f, MS), 0);
  CHECK_EQ(nth_event_loop_timer_cancel(f->loop, timer), 1);
  CHECK_EQ(nth_event_loop_timer_cancel(f->loop, timer), 0);
  CHECK_EQ(poll_for(f, 0), 0);
  close_loop(f);
}

TEST(handles_of_destroyed_timers_name_nothing) {
  fixture_t *f = open_loop();
  int64_t old = timer_at(f, 1, 0);
  CHECK_EQ(nth_event_loop_timer_destroy(f->loop, old), 0);
  CHECK_EQ(nth_event_loop_timer_destroy(f->loop, old), -ENOENT);
  int64_t timer = timer_at(f, 2, 0);
  CHECK(timer != old);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, old, 0), -ENOENT);
  CHECK_EQ(nth_event_loop_timer_cancel(f->loop, old), -ENOENT);
  CHECK_EQ(poll_one(f, 0).token, 2);
  close_loop(f);
}
