/* SPDX-License-Identifier: MIT
 *
 * The one lingering waiter. With a single usable CPU no waiter lingers, and the tests check that instead.
 */
#include "failpoints.h"
#include "linger_credit.h"
#include "semaphore_waiter.h"

static bool can_linger(void) {
  bool can = nth_linger_acquire(NTH_LINGER_WAITER) == 1;
  if (can) {
    nth_linger_release(NTH_LINGER_WAITER);
  }
  return can;
}

/* True if a waiter lingers; false where it cannot, after having seen it park instead. */
static bool await_linger(nth_lifo_semaphore_t *semaphore, int32_t waiters) {
  UNTIL((word_of(semaphore) & NTH__LINGERING) != 0 || nth_lifo_semaphore_waiters(semaphore) == waiters + 1);
  return nth_lifo_semaphore_waiters(semaphore) == waiters;
}

TEST(a_waiter_lingers_beside_an_idle_worker) {
  bool can = can_linger();
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_IDLE_WORKER), can);
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, DEADLINE_NS);
  waiter_t waiter;
  start_waiter(&waiter, semaphore, -1);
  CHECK_EQ(await_linger(semaphore, 0), can);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(join_waiter(&waiter), 0);
  if (can) {
    nth_linger_release(NTH_LINGER_IDLE_WORKER);
  }
  nth_lifo_semaphore_destroy(semaphore);
}

TEST(T53_a_lingerer_takes_a_permit_without_a_system_call) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, DEADLINE_NS);
  bool can = can_linger();
  waiter_t waiter;
  count_points();
  start_waiter(&waiter, semaphore, -1);
  CHECK_EQ(await_linger(semaphore, 0), can);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(join_waiter(&waiter), 0);
  CHECK(!can || passed(NTH__AT_GRANT) + passed(NTH__AT_PARK) == 0);
  destroy_quiet(semaphore, 0);
}

TEST(T48_a_permit_that_arrives_while_the_lingerer_gives_up_is_taken) {
  if (can_linger()) {
    nth_lifo_semaphore_t *semaphore = new_semaphore(0, 1 * MS);
    waiter_t waiter;
    hold_at(NTH__AT_SEMAPHORE_LINGER_END);
    start_waiter(&waiter, semaphore, ENDLESS);
    await_held(); /* its time is over and the word it saw has no permit */
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(passed(NTH__AT_GRANT), 0);
    let_go();
    CHECK_EQ(join_waiter(&waiter), 0);
    CHECK_EQ(passed(NTH__AT_PARK), 0);
    destroy_quiet(semaphore, 0);
  }
}

TEST(T48_a_lingerer_that_times_out_leaves_no_bit_behind) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, DEADLINE_NS);
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 1 * MS), -ETIMEDOUT);
  destroy_quiet(semaphore, 0);
}

TEST(the_lingerer_is_left_one_permit_and_the_others_are_woken) {
  if (can_linger()) {
    nth_lifo_semaphore_t *semaphore = new_semaphore(0, 1 * MS);
    waiter_t parked, lingerer;
    start_parked(&parked, semaphore, ENDLESS, 1);
    hold_at(NTH__AT_SEMAPHORE_LINGER);
    start_waiter(&lingerer, semaphore, ENDLESS);
    await_held();
    count_points();
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(passed(NTH__AT_GRANT), 0); /* it is the lingerer's */
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(join_waiter(&parked), 0);
    CHECK_EQ(nth_lifo_semaphore_permits(semaphore), 1);
    let_go();
    CHECK_EQ(join_waiter(&lingerer), 0);
    destroy_quiet(semaphore, 0);
  }
}

TEST(a_barging_try_wait_takes_the_lingerers_permit_and_the_next_release_still_reaches_it) {
  if (can_linger()) {
    nth_lifo_semaphore_t *semaphore = new_semaphore(0, 1 * MS);
    waiter_t lingerer;
    hold_at(NTH__AT_SEMAPHORE_LINGER);
    start_waiter(&lingerer, semaphore, ENDLESS);
    await_held();
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(nth_lifo_semaphore_try_wait(semaphore), 0);
    let_go();
    UNTIL(nth_lifo_semaphore_waiters(semaphore) == 1);
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(join_waiter(&lingerer), 0);
    destroy_quiet(semaphore, 0);
  }
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

static _Atomic int lingering, most_lingering, lingers;

static void count_lingerers(nth__failpoint_t point) {
  if (point == NTH__AT_SEMAPHORE_LINGERED) {
    atomic_fetch_sub(&lingering, 1);
  } else if (point == NTH__AT_SEMAPHORE_LINGER) {
    int now = atomic_fetch_add(&lingering, 1) + 1;
    atomic_fetch_add(&lingers, 1);
    int most = atomic_load(&most_lingering);
    while (now > most && !atomic_compare_exchange_weak(&most_lingering, &most, now)) {
    }
  }
}

typedef struct pair {
  nth_lifo_semaphore_t *mine;
  nth_lifo_semaphore_t *other;
  int64_t end;
} pair_t;

static void ping(void *argument) {
  pair_t *pair = argument;
  while (now_ns() < pair->end) {
    nth_lifo_semaphore_wait(pair->mine, 1 * MS);
    CHECK_EQ(nth_lifo_semaphore_release(pair->other, 1), 0);
  }
}

TEST(T46_one_thread_of_the_process_lingers_whatever_the_number_of_waiters_and_semaphores) {
  nth_lifo_semaphore_t *left = new_semaphore(0, -1), *right = new_semaphore(0, -1);
  bool can = can_linger();
  atomic_store(&nth__failpoint_hook, count_lingerers);
  int64_t end = stress_end();
  pair_t pairs[2] = {{left, right, end}, {right, left, end}};
  thread_t threads[16];
  for (int i = 0; i < 16; i++) {
    start_thread(&threads[i], ping, &pairs[i % 2]);
  }
  for (int i = 0; i < 16; i++) {
    join_thread(&threads[i]);
  }
  CHECK(atomic_load(&most_lingering) == (can ? 1 : 0));
  destroy_quiet(left, nth_lifo_semaphore_permits(left));
  destroy_quiet(right, nth_lifo_semaphore_permits(right));
}

TEST(T49_lingering_stops_when_the_process_is_narrowed_to_one_cpu) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 50 * US);
  use_one_cpu();
  UNTIL(!can_linger());
  atomic_store(&nth__failpoint_hook, count_lingerers);
  for (int i = 0; i < 10; i++) {
    CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 1 * MS), -ETIMEDOUT);
  }
  CHECK_EQ(atomic_load(&lingers), 0);
  destroy_quiet(semaphore, 0);
}

TEST(a_semaphore_made_without_lingering_never_does) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  atomic_store(&nth__failpoint_hook, count_lingerers);
  for (int i = 0; i < 10; i++) {
    CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 1 * MS), -ETIMEDOUT);
  }
  CHECK_EQ(atomic_load(&lingers), 0);
  destroy_quiet(semaphore, 0);
}

TEST(T30_lingering_in_vain_uses_up_its_credit_and_quick_arrivals_earn_it_back) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, DEADLINE_NS);
  int first_credit = can_linger() ? NTH__FIRST_LINGER_CREDIT : 0;
  atomic_store(&nth__failpoint_hook, count_lingerers);
  for (int i = 0; i < 10; i++) {
    CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 1 * MS), -ETIMEDOUT);
  }
  CHECK_EQ(atomic_load(&lingers), first_credit);

  waiter_t waiter;
  start_parked(&waiter, semaphore, -1, 1);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0); /* sooner than twice the time to linger */
  CHECK_EQ(join_waiter(&waiter), 0);
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, 1 * MS), -ETIMEDOUT);
  CHECK_EQ(atomic_load(&lingers), first_credit == 0 ? 0 : first_credit + 1);
  destroy_quiet(semaphore, 0);
}

/* ---- Releases at the moment when the lingerer gives up ------------------------------------------------- */

typedef struct taker {
  nth_lifo_semaphore_t *semaphore;
  _Atomic int64_t asked; /* waits started */
  _Atomic int64_t taken;
  _Atomic bool stop;
} taker_t;

static void take_each(void *argument) {
  taker_t *taker = argument;
  while (!atomic_load(&taker->stop)) {
    atomic_fetch_add(&taker->asked, 1);
    if (nth_lifo_semaphore_wait(taker->semaphore, ENDLESS) == 0) {
      atomic_fetch_add(&taker->taken, 1);
    }
  }
}

TEST(T48_releases_a_linger_time_apart_are_all_taken) {
  int64_t linger_ns = nth_wake_latency_ns() > 0 ? nth_wake_latency_ns() : 20 * US;
  taker_t taker = {.semaphore = new_semaphore(0, linger_ns)};
  thread_t thread;
  start_thread(&thread, take_each, &taker);
  uint32_t random = 99;
  int64_t released = 0;
  for (int64_t end = stress_end(); now_ns() < end;) {
    UNTIL(atomic_load(&taker.asked) == released + 1);
    spin_for(linger_ns - 1 * US + (int64_t)(next_random(&random) % 2000));
    CHECK_EQ(nth_lifo_semaphore_release(taker.semaphore, 1), 0);
    released++;
    UNTIL(atomic_load(&taker.taken) == released); /* by no later call */
  }
  atomic_store(&taker.stop, true);
  CHECK_EQ(nth_lifo_semaphore_release(taker.semaphore, 1), 0);
  join_thread(&thread);
  CHECK_EQ(atomic_load(&taker.taken), released + 1);
  destroy_quiet(taker.semaphore, 0);
}
