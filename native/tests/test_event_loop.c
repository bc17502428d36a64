/* SPDX-License-Identifier: MIT
 *
 * The event loop as a whole: its life, what a poll returns and when, and what it costs when nothing happens.
 */
#include "event_loop_support.h"
#include "failpoints.h"

TEST(a_thousand_loops_come_and_go) {
  for (int round = 0; round < 3; round++) {
    static nth_event_loop_t *loops[300];
    for (int i = 0; i < 300; i++) {
      CHECK_EQ(nth_event_loop_create(&loops[i], NULL), 0);
      CHECK_EQ(nth_event_loop_wake(loops[i], 0), 0);
    }
    for (int i = 0; i < 300; i++) {
      nth_event_loop_destroy(loops[i]);
    }
  }
  for (int i = 0; i < 1000; i++) {
    nth_event_loop_t *loop;
    CHECK_EQ(nth_event_loop_create(&loop, NULL), 0);
    CHECK(nth_event_loop_timer_create(loop, 1) >= 0);
    CHECK(nth_event_loop_descriptor(loop) < 64); /* each gives its descriptors back */
    nth_event_loop_destroy(loop);
  }
}

TEST(a_closed_loop_refuses_everything) {
  fixture_t *f = open_loop();
  int64_t timer = timer_at(f, 1, 0);
  nth_event_loop_close(f->loop);
  nth_event_loop_close(f->loop);
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_poll(f->loop, f->events, EVENTS, 0, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_add(f->loop, 0, NTH_READY_READ, 1), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_modify(f->loop, 0, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_remove(f->loop, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_create(f->loop, 1), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_cancel(f->loop, timer), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_destroy(f->loop, timer), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_descriptor(f->loop), -ESHUTDOWN);
  close_loop(f);
}

TEST(T66_bad_input_leaves_the_loop_running) {
  fixture_t *f = open_loop();
  int64_t timer = nth_event_loop_timer_create(f->loop, 7);
  CHECK_EQ(nth_event_loop_poll(f->loop, f->events, NTH_POLL_MIN_EVENTS - 1, 0, 0), -EINVAL);
  CHECK_EQ(nth_event_loop_add(f->loop, -1, NTH_READY_READ, 1), -EBADF);
  CHECK_EQ(nth_event_loop_add(f->loop, INT32_MAX, NTH_READY_READ, 1), -EBADF);
  CHECK_EQ(nth_event_loop_add(f->loop, 0, 1u << 30, 1), -EINVAL);
  CHECK_EQ(nth_event_loop_modify(f->loop, -1, NTH_READY_READ), -ENOENT);
  CHECK_EQ(nth_event_loop_remove(f->loop, INT64_MAX), -ENOENT);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, -1), -EINVAL);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer + 1, 0), -ENOENT);
  CHECK_EQ(nth_event_loop_timer_cancel(f->loop, -1), -ENOENT);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, 0), 0);
  CHECK_EQ(poll_one(f, ENDLESS).token, 7);
  close_loop(f);
}

TEST(T81_a_timeout_is_never_early) {
  fixture_t *f = open_loop();
  static const int64_t timeouts[] = {0, 1, 999, 100 * US, MS + 1, 20 * MS};
  for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
    int64_t begin = now_ns();
    CHECK_EQ(poll_for(f, timeouts[i]), 0);
    CHECK(now_ns() - begin >= timeouts[i]);
  }
  CHECK(stats_of(f).waits <= 8); /* whole milliseconds, rounded down, would poll */
  close_loop(f);
}

static void wake_later(void *argument) {
  fixture_t *f = argument;
  await_held(); /* the loop is about to enter the kernel */
  let_go();
  spin_for(2 * MS);
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), 1);
}

TEST(T78_a_poll_with_nothing_due_blocks_and_an_idle_loop_makes_no_calls) {
  fixture_t *f = open_loop();
  watch_a_silent_pipe(f);
  timer_at(f, 2, now_ns() + 3600 * SEC);
  int64_t before = calls_of(f);
  hold_at(NTH__AT_LOOP_BLOCK);
  thread_t thread;
  start_thread(&thread, wake_later, f);
  CHECK_EQ(poll_one(f, ENDLESS).kind, NTH_EVENT_WAKE);
  join_thread(&thread);
  CHECK_EQ(calls_of(f) - before, 3); /* one sleep, the write and its read: nothing while it lasted */
  close_loop(f);
}
