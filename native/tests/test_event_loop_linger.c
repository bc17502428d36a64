/* SPDX-License-Identifier: MIT
 *
 * An event loop that polls before it sleeps, because something came soon, lately. Whether it lingers is what the loop
 * counts; with one CPU it never does, but yields once.
 */
#include "clock_door.h"
#include "event_loop_state.h"
#include "event_loop_support.h"
#include "failpoints.h"

typedef struct lingering {
  fixture_t *fixture;
  duct_t duct;
} lingering_t;

static int32_t poll_lingering(lingering_t *l, int64_t timeout_ns) {
  int32_t count = nth_event_loop_poll(l->fixture->loop, l->fixture->events, EVENTS, timeout_ns, NTH_POLL_LINGER);
  CHECK(count >= 0);
  return count;
}

static lingering_t open_lingering(void) {
  lingering_t l = {open_loop(), open_pipe()};
  CHECK(nth_event_loop_add(l.fixture->loop, l.duct.read, NTH_READY_READ, 1) >= 0);
  return l;
}

static void close_lingering(lingering_t *l) {
  close_loop(l->fixture);
  close_duct(l->duct);
}

static int64_t lingers_of(const lingering_t *l) {
  return stats_of(l->fixture).lingers;
}

static int64_t sleeps_of(const lingering_t *l) {
  nth_event_loop_stats_t stats = stats_of(l->fixture);
  return stats.waits - stats.looks;
}

/* Has the loop expect something: whenever it polls, a byte is there. Afterwards there is none. */
static void expect_soon(lingering_t *l) {
  put_byte(l->duct.write);
  for (int64_t give_up = now_ns() + DEADLINE_NS; l->fixture->loop->arrivals.credit < NTH__MOST_LINGER_CREDIT;) {
    CHECK(now_ns() < give_up);
    CHECK_EQ(poll_lingering(l, ENDLESS), 1);
  }
  take_byte(l->duct.read);
}

static bool nobody_lingers(void) {
  return nth_wake_latency_ns() == 0;
}

static void check_slot_is_free(void) {
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_READINESS), 1);
  nth_linger_release(NTH_LINGER_READINESS);
}

/* ---- When it lingers ------------------------------------------------------------------------------------ */

TEST(T108_a_loop_to_which_nothing_comes_does_not_linger) {
  lingering_t l = open_lingering();
  for (int i = 0; i < 50; i++) {
    CHECK_EQ(poll_lingering(&l, 200 * US), 0);
  }
  CHECK_EQ(lingers_of(&l), 0);
  close_lingering(&l);
}

TEST(T108_a_loop_that_falls_silent_lingers_once) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t l = open_lingering();
  expect_soon(&l);
  CHECK_EQ(poll_lingering(&l, 20 * MS), 0);
  CHECK_EQ(lingers_of(&l), 1);
  for (int i = 0; i < 20; i++) {
    CHECK_EQ(poll_lingering(&l, MS), 0);
  }
  CHECK_EQ(lingers_of(&l), 1);
  check_slot_is_free();
  close_lingering(&l);
}

TEST(T46_lingers_in_vain_use_the_credit_up) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t l = open_lingering();
  expect_soon(&l);
  for (int i = 0; i < 50; i++) { /* too short to be a silence, on a quiet machine */
    CHECK_EQ(poll_lingering(&l, (NTH__ARRIVAL_GAP_FACTOR + 1) * nth_wake_latency_ns()), 0);
  }
  CHECK(lingers_of(&l) >= 1 && lingers_of(&l) <= NTH__MOST_LINGER_CREDIT - NTH__ARRIVAL_CREDIT + 1);
  check_slot_is_free();
  close_lingering(&l);
}

TEST(T49_with_one_cpu_it_never_lingers) {
  use_one_cpu();
  lingering_t l = open_lingering();
  put_byte(l.duct.write);
  for (int i = 0; i < 50; i++) {
    CHECK_EQ(poll_lingering(&l, ENDLESS), 1);
  }
  take_byte(l.duct.read);
  for (int i = 0; i < 50; i++) {
    CHECK_EQ(poll_lingering(&l, 100 * US), 0);
  }
  CHECK_EQ(lingers_of(&l), 0);
  close_lingering(&l);
}

TEST(without_the_flag_it_neither_lingers_nor_earns) {
  lingering_t l = open_lingering();
  put_byte(l.duct.write);
  for (int i = 0; i < 50; i++) {
    CHECK_EQ(poll_for(l.fixture, ENDLESS), 1);
  }
  CHECK_EQ(l.fixture->loop->arrivals.credit, 0);
  take_byte(l.duct.read);
  if (!nobody_lingers()) {
    expect_soon(&l);
    CHECK_EQ(poll_for(l.fixture, MS), 0);
    CHECK_EQ(lingers_of(&l), 0);
  }
  close_lingering(&l);
}

/* A peer that answers when the loop has taken what it sent before. */
typedef struct peer {
  lingering_t *of;
  _Atomic int64_t taken;
  int64_t rounds;
  int64_t thinks_ns;
  bool sleeps;
} peer_t;

static void answer(void *argument) {
  peer_t *peer = argument;
  for (int64_t round = 0; round < peer->rounds; round++) {
    UNTIL(atomic_load(&peer->taken) == round);
    if (peer->sleeps) {
      sleep_ns(peer->thinks_ns);
    } else {
      spin_for(peer->thinks_ns);
    }
    put_byte(peer->of->duct.write);
  }
}

static void play(peer_t *peer) {
  thread_t thread;
  start_thread(&thread, answer, peer);
  for (int64_t round = 0; round < peer->rounds; round++) {
    CHECK_EQ(poll_lingering(peer->of, ENDLESS), 1); /* no timeout: a byte that is missed would show as a hang */
    take_byte(peer->of->duct.read);
    atomic_fetch_add(&peer->taken, 1);
  }
  join_thread(&thread);
}

TEST(a_peer_that_answers_soon_is_lingered_for) {
  lingering_t l = open_lingering();
  int64_t started = now_ns();
  int64_t rounds = 0;
  while (lingers_of(&l) < (nobody_lingers() ? 0 : 100)) {
    peer_t peer = {.of = &l, .rounds = 200, .thinks_ns = 2 * US};
    play(&peer);
    rounds += peer.rounds;
    int64_t taken = now_ns() - started;
    if (taken > DEADLINE_NS / 6) {
      CHECK(taken / rounds > 200 * US); /* on a busy machine each answer costs a time slice: none comes soon */
      break;
    }
  }
  close_lingering(&l);
}

TEST(T108_rare_events_are_not_lingered_for) {
  lingering_t l = open_lingering();
  peer_t peer = {.of = &l, .rounds = 200, .thinks_ns = MS, .sleeps = true};
  play(&peer);
  CHECK_EQ(lingers_of(&l), 0);
  CHECK_EQ(sleeps_of(&l), stats_of(l.fixture).waits);
  close_lingering(&l);
}

/* ---- While it lingers ----------------------------------------------------------------------------------- */

static void poll_endlessly(void *argument) {
  CHECK_EQ(poll_lingering(argument, ENDLESS), 1);
}

/* Holds the loop at the beginning of a linger, in a thread. */
static void hold_lingering(lingering_t *l, thread_t *thread) {
  expect_soon(l);
  l->fixture->loop->crowded_until_ns = 0; /* a linger of these polls may have lost its processor */
  hold_at(NTH__AT_LOOP_LINGER);
  start_thread(thread, poll_endlessly, l);
  await_held();
}

static void check_wake_during_a_linger(int64_t polls) {
  lingering_t l = open_lingering();
  thread_t thread;
  hold_lingering(&l, &thread);
  int64_t sleeps = sleeps_of(&l);
  CHECK_EQ(nth_event_loop_wake(l.fixture->loop, 0), 0);
  let_go();
  join_thread(&thread);
  CHECK_EQ(l.fixture->events[0].kind, NTH_EVENT_WAKE);
  CHECK_EQ(stats_of(l.fixture).writes, 0);
  CHECK_EQ(stats_of(l.fixture).reads, 0);
  CHECK_EQ(sleeps_of(&l), sleeps);
  CHECK_EQ(lingers_of(&l), polls);
  close_lingering(&l);
}

TEST(T48_a_wake_during_a_linger_is_found_and_makes_no_system_call) {
  if (!nobody_lingers()) {
    check_wake_during_a_linger(1);
    check_slot_is_free();
  }
}

TEST(T48_with_one_cpu_a_wake_during_the_yield_makes_no_system_call) {
  use_one_cpu();
  check_wake_during_a_linger(0);
}

TEST(a_descriptor_that_becomes_ready_during_a_linger_is_found_without_a_sleep) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t l = open_lingering();
  thread_t thread;
  hold_lingering(&l, &thread);
  int64_t sleeps = sleeps_of(&l);
  put_byte(l.duct.write);
  let_go();
  join_thread(&thread);
  CHECK_EQ(l.fixture->events[0].kind, NTH_EVENT_READY);
  CHECK_EQ(sleeps_of(&l), sleeps);
  CHECK_EQ(lingers_of(&l), 1);
  close_lingering(&l);
}

TEST(T72_a_wake_through_the_kernel_ends_a_linger_and_the_loop_closes) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t l = open_lingering();
  thread_t thread;
  hold_lingering(&l, &thread);
  CHECK_EQ(nth_event_loop_wake(l.fixture->loop, NTH_WAKE_KERNEL), 1);
  let_go();
  join_thread(&thread);
  CHECK_EQ(l.fixture->events[0].kind, NTH_EVENT_WAKE);
  CHECK_EQ(stats_of(l.fixture).reads, 1);
  nth_event_loop_close(l.fixture->loop);
  CHECK_EQ(nth_event_loop_wake(l.fixture->loop, 0), -ESHUTDOWN);
  check_slot_is_free();
  close_lingering(&l);
}

TEST(a_linger_ends_when_a_timer_is_due) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t l = open_lingering();
  expect_soon(&l);
  timer_at(l.fixture, 7, now_ns() + MS);
  CHECK_EQ(poll_lingering(&l, ENDLESS), 1);
  CHECK_EQ(l.fixture->events[0].kind, NTH_EVENT_TIMER);
  CHECK_EQ(l.fixture->events[0].token, 7);
  close_lingering(&l);
}

TEST(T49_a_loop_that_loses_its_processor_while_it_lingers_sleeps) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t l = open_lingering();
  expect_soon(&l);
  int64_t looks = stats_of(l.fixture).looks;
  leap_at_every(1, NTH__LOST_CPU_NS + US); /* between any two looks another thread ran */
  CHECK_EQ(poll_lingering(&l, MS), 0);
  leap_at_every(0, 0);
  CHECK_EQ(lingers_of(&l), 1);
  CHECK_EQ(stats_of(l.fixture).looks - looks, 2); /* one before the linger, one in it */
  close_lingering(&l);
}

TEST(T49_a_loop_that_loses_its_processor_for_long_does_not_linger_for_a_while) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t l = open_lingering();
  expect_soon(&l);
  leap_at_every(1, 2 * MS);
  CHECK_EQ(poll_lingering(&l, 5 * MS), 0);
  leap_at_every(0, 0);
  CHECK_EQ(lingers_of(&l), 1);
  CHECK(l.fixture->loop->crowded_until_ns >= NTH__ARRIVAL_REST_NS);

  l.fixture->loop->crowded_until_ns = INT64_MAX; /* however long this thread is kept from its processor */
  expect_soon(&l);
  CHECK_EQ(poll_lingering(&l, MS), 0);
  CHECK_EQ(lingers_of(&l), 1);

  l.fixture->loop->crowded_until_ns = 0;
  CHECK_EQ(poll_lingering(&l, 0), 0);
  expect_soon(&l);
  CHECK_EQ(poll_lingering(&l, MS), 0);
  CHECK_EQ(lingers_of(&l), 2);
  close_lingering(&l);
}

/* ---- The budget ----------------------------------------------------------------------------------------- */

TEST(T46_of_a_hundred_loops_one_lingers) {
  if (nobody_lingers()) {
    return;
  }
  lingering_t first = open_lingering();
  thread_t thread;
  hold_lingering(&first, &thread);
  for (int i = 0; i < 99; i++) {
    lingering_t other = open_lingering();
    expect_soon(&other);
    CHECK_EQ(poll_lingering(&other, MS), 0);
    CHECK_EQ(lingers_of(&other), 0);
    close_lingering(&other);
  }
  CHECK_EQ(nth_event_loop_wake(first.fixture->loop, 0), 0);
  let_go();
  join_thread(&thread);
  CHECK_EQ(lingers_of(&first), 1);
  lingering_t next = open_lingering();
  expect_soon(&next);
  CHECK_EQ(poll_lingering(&next, MS), 0);
  CHECK_EQ(lingers_of(&next), 1);
  close_lingering(&next);
  close_lingering(&first);
}
