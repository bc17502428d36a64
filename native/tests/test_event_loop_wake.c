/* SPDX-License-Identifier: MIT
 *
 * Waking an event loop: which wakes cost a system call, that none is lost, and closing at the same time.
 */
#include <stdlib.h>

#include "event_loop_state.h"
#include "event_loop_support.h"
#include "failpoints.h"

TEST(T69_T71_waking_a_loop_that_runs_makes_no_system_call) {
  fixture_t *f = open_loop();
  int64_t before = calls_of(f);
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(nth_event_loop_wake(f->loop, 0), 0);
    CHECK_EQ(nth_event_loop_wake(f->loop, 0), 0);
    CHECK_EQ(poll_one(f, ENDLESS).kind, NTH_EVENT_WAKE); /* two wakes, one event */
  }
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK_EQ(calls_of(f) - before, 0);
  close_loop(f);
}

static void poll_once(void *argument) {
  CHECK_EQ(poll_one(argument, ENDLESS).kind, NTH_EVENT_WAKE);
}

TEST(T71_only_the_first_wake_of_a_sleeping_loop_makes_a_system_call) {
  fixture_t *f = open_loop();
  hold_at(NTH__AT_LOOP_BLOCK);
  thread_t thread;
  start_thread(&thread, poll_once, f);
  await_held();
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), 1); /* announced, but not yet in the kernel */
  for (int i = 0; i < 10; i++) {
    CHECK_EQ(nth_event_loop_wake(f->loop, 0), 0);
  }
  let_go();
  join_thread(&thread);
  CHECK_EQ(stats_of(f).writes, 1);
  CHECK_EQ(stats_of(f).reads, 1);
  CHECK_EQ(poll_for(f, 0), 0);
  close_loop(f);
}

TEST(T71_a_wake_between_the_last_look_and_the_sleep_is_not_lost) {
  fixture_t *f = open_loop();
  hold_at(NTH__AT_LOOP_SLEEP);
  thread_t thread;
  start_thread(&thread, poll_once, f);
  await_held();
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), 0); /* not asleep yet: it has to find this by itself */
  let_go();
  join_thread(&thread);
  CHECK_EQ(calls_of(f), 0);
  close_loop(f);
}

TEST(T71_a_wake_after_the_reset_is_reported_by_the_next_poll) {
  fixture_t *f = open_loop();
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), 0);
  hold_at(NTH__AT_LOOP_RESET);
  thread_t thread;
  start_thread(&thread, poll_once, f);
  await_held();
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), 0);
  let_go();
  join_thread(&thread);
  CHECK_EQ(poll_one(f, ENDLESS).kind, NTH_EVENT_WAKE);
  CHECK_EQ(stats_of(f).writes, 0);
  close_loop(f);
}

static void wake_through_the_kernel(void *argument) {
  CHECK_EQ(nth_event_loop_wake(argument, NTH_WAKE_KERNEL), 1);
}

TEST(T71_a_write_that_comes_late_is_read_and_not_reported_again) {
  fixture_t *f = open_loop();
  hold_at(NTH__AT_LOOP_WRITE);
  thread_t waker;
  start_thread(&waker, wake_through_the_kernel, f->loop);
  await_held();
  CHECK_EQ(poll_one(f, 0).kind, NTH_EVENT_WAKE); /* seen before its write */
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), 0); /* the write that is on its way will do */
  CHECK_EQ(poll_one(f, 0).kind, NTH_EVENT_WAKE);
  let_go();
  join_thread(&waker);
  check_shown_outside(f, true);
  CHECK_EQ(poll_for(f, MS), 0);
  check_shown_outside(f, false);
  CHECK_EQ(stats_of(f).writes, 1);
  CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), 1);
  close_loop(f);
}

TEST(a_wake_through_the_kernel_shows_in_the_descriptor) {
  fixture_t *f = open_loop();
  for (int i = 0; i < 3; i++) {
    check_shown_outside(f, false);
    CHECK_EQ(nth_event_loop_wake(f->loop, 0), 0);
    check_shown_outside(f, false);
    CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), 1);
    CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), 0);
    check_shown_outside(f, true);
    CHECK_EQ(poll_one(f, 0).kind, NTH_EVENT_WAKE);
    CHECK_EQ(poll_for(f, 0), 0);
  }
  CHECK_EQ(stats_of(f).writes, 3);
  CHECK_EQ(stats_of(f).reads, 3);
  close_loop(f);
}

/* ---- Storms -------------------------------------------------------------------------------------------- */

enum { PRODUCERS = 8 };

typedef struct storm {
  fixture_t *fixture;
  int64_t end;
  _Atomic int64_t posted;   /* the queue: a number */
  _Atomic int64_t writes;
  _Atomic int32_t finished;
} storm_t;

static void post_often(void *argument) {
  storm_t *storm = argument;
  static _Atomic uint32_t seed = 1;
  uint32_t random = atomic_fetch_add(&seed, 1) * 2654435761u;
  do {
    atomic_fetch_add_explicit(&storm->posted, 1, memory_order_relaxed);
    int32_t result = nth_event_loop_wake(storm->fixture->loop, 0);
    CHECK(result == 0 || result == 1);
    atomic_fetch_add(&storm->writes, result);
    if (next_random(&random) % 4 == 0) {
      spin_for(next_random(&random) % (30 * US));
    }
  } while (now_ns() < storm->end);
  atomic_fetch_add(&storm->finished, 1);
  nth_event_loop_wake(storm->fixture->loop, 0);
}

static void run_storm(uint32_t poll_flags) {
  storm_t storm = {.fixture = open_loop(), .end = stress_end()};
  fixture_t *f = storm.fixture;
  thread_t threads[PRODUCERS];
  for (int i = 0; i < PRODUCERS; i++) {
    start_thread(&threads[i], post_often, &storm);
  }
  int64_t taken = 0, wakes = 0;
  while (taken == 0 || atomic_load(&storm.finished) < PRODUCERS) {
    /* No timeout: a lost wake would show as a hang. */
    int32_t count = nth_event_loop_poll(f->loop, f->events, EVENTS, ENDLESS, poll_flags);
    CHECK_EQ(count, 1);
    CHECK_EQ(f->events[0].kind, NTH_EVENT_WAKE);
    int64_t posted = atomic_load_explicit(&storm.posted, memory_order_relaxed);
    CHECK(posted >= taken);
    taken = posted;
    wakes++;
  }
  for (int i = 0; i < PRODUCERS; i++) {
    join_thread(&threads[i]);
  }
  /* Exactly counted: whatever was posted since the last poll has left a wake. */
  int64_t posted = atomic_load(&storm.posted);
  if (posted != taken) {
    CHECK_EQ(poll_one(f, 0).kind, NTH_EVENT_WAKE);
  }
  nth_event_loop_stats_t stats = stats_of(f);
  CHECK(stats.writes >= atomic_load(&storm.writes) && stats.writes <= wakes + 1);
  CHECK(stats.waits <= wakes + stats.writes);
  close_loop(f);
}

TEST(T71_a_storm_from_eight_threads_loses_no_wake) {
  run_storm(0);
}

TEST(T71_a_storm_on_a_loop_that_expects_it_loses_no_wake) {
  run_storm(NTH_POLL_LINGER);
}

typedef struct exchange {
  fixture_t *loops[2];
  int64_t rounds;
} exchange_t;

static void answer(void *argument) {
  exchange_t *exchange = argument;
  for (int64_t i = 0; i < exchange->rounds; i++) {
    CHECK_EQ(poll_one(exchange->loops[1], ENDLESS).kind, NTH_EVENT_WAKE);
    nth_event_loop_wake(exchange->loops[0]->loop, 0);
  }
}

TEST(T120_two_loops_wake_each_other) {
  exchange_t exchange = {{open_loop(), open_loop()}, 3000};
  thread_t thread;
  start_thread(&thread, answer, &exchange);
  for (int64_t i = 0; i < exchange.rounds; i++) {
    nth_event_loop_wake(exchange.loops[1]->loop, 0);
    CHECK_EQ(poll_one(exchange.loops[0], ENDLESS).kind, NTH_EVENT_WAKE);
  }
  join_thread(&thread);
  close_loop(exchange.loops[0]);
  close_loop(exchange.loops[1]);
}

/* ---- Closing ------------------------------------------------------------------------------------------- */

static _Atomic bool close_has_returned;

static void close_it(void *argument) {
  nth_event_loop_close(argument);
  atomic_store(&close_has_returned, true);
}

TEST(T72_close_waits_for_a_waker_inside) {
  fixture_t *f = open_loop();
  hold_at(NTH__AT_LOOP_WRITE);
  thread_t waker, closer;
  start_thread(&waker, wake_through_the_kernel, f->loop);
  await_held(); /* counted, about to write */
  start_thread(&closer, close_it, f->loop);
  UNTIL((atomic_load(&f->loop->word) & NTH__LOOP_CLOSED) != 0);
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), -ESHUTDOWN);
  spin_for(MS);
  CHECK_EQ(atomic_load(&f->loop->word) / NTH__LOOP_SENDER, 1);
  CHECK(!atomic_load(&close_has_returned)); /* the descriptor is still the waker's to write to */
  let_go();
  join_thread(&waker);
  join_thread(&closer);
  CHECK_EQ(atomic_load(&f->loop->word) / NTH__LOOP_SENDER, 0);
  close_loop(f);
}

typedef struct round {
  _Atomic(nth_event_loop_t *) loop;
  _Atomic int32_t refused; /* wakers that have seen the close */
  _Atomic bool over;
} round_t;

static void wake_until_refused(void *argument) {
  round_t *round = argument;
  nth_event_loop_t *last = NULL;
  while (!atomic_load(&round->over)) {
    nth_event_loop_t *loop = atomic_load(&round->loop);
    if (loop == last) {
      give_cpu_away();
      continue;
    }
    for (uint32_t i = 0; nth_event_loop_wake(loop, i % 2 == 0 ? NTH_WAKE_KERNEL : 0) != -ESHUTDOWN; i++) {
    }
    last = loop;
    atomic_fetch_add(&round->refused, 1);
  }
}

TEST(T72_closing_beside_wakers) {
  round_t round = {0};
  static nth_event_t events[NTH_POLL_MIN_EVENTS];
  thread_t wakers[2];
  for (int i = 0; i < 2; i++) {
    start_thread(&wakers[i], wake_until_refused, &round);
  }
  uint32_t random = 5;
  nth_event_loop_t *before = NULL;
  for (int64_t end = stress_end(); now_ns() < end;) {
    nth_event_loop_t *loop;
    CHECK_EQ(nth_event_loop_create(&loop, NULL), 0);
    CHECK(loop != before);
    atomic_store(&round.refused, 0);
    atomic_store(&round.loop, loop);
    for (uint32_t polls = next_random(&random) % 4; polls > 0; polls--) {
      CHECK(nth_event_loop_poll(loop, events, NTH_POLL_MIN_EVENTS, ENDLESS, 0) >= 0);
    }
    nth_event_loop_close(loop);
    UNTIL(atomic_load(&round.refused) == 2); /* no thread has it any more */
    if (before != NULL) {
      nth_event_loop_destroy(before);
    }
    before = loop; /* kept for a round, so that the next one has another address */
  }
  atomic_store(&round.over, true);
  for (int i = 0; i < 2; i++) {
    join_thread(&wakers[i]);
  }
  nth_event_loop_destroy(before);
}
