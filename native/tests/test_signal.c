/* SPDX-License-Identifier: MIT
 *
 * The worker signal's contract, one call after the other. A worker that is announced but not yet parked may
 * be driven by the test's own thread.
 */
#include "failpoints.h"
#include "signal_worker.h"

static nth_worker_t *new_worker(nth_worker_signal_t *signal) {
  nth_worker_t *worker = NULL;
  CHECK_EQ(nth_worker_create(signal, &worker), 0);
  return worker;
}

TEST(a_request_with_nobody_to_be_had_changes_nothing) {
  nth_worker_signal_t *signal = new_signal();
  CHECK_EQ(nth_worker_signal_request(signal, 17), NTH_REQUEST_NOT_NEEDED);
  CHECK_EQ(signal_word(signal), 0);
  destroy_signal(signal);
}

TEST(announcing_and_withdrawing_counts_in_the_word_and_leaves_nothing) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *worker = new_worker(signal);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(nth_worker_announce_idle(worker, 0), 0);
    check_quiet(signal, 1, 0);
    CHECK_EQ(nth_worker_withdraw(worker), NTH_PARK_TIMED_OUT);
    check_quiet(signal, 0, 0);
  }
  nth_worker_destroy(worker);
  destroy_signal(signal);
}

TEST(T71_of_many_requests_one_is_made_until_it_is_acknowledged) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *chosen = new_worker(signal), *other = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(other, 0), 0);
  for (uint32_t round = 1; round <= 3; round++) {
    CHECK_EQ(nth_worker_announce_idle(chosen, 0), 0);
    CHECK_EQ(nth_worker_signal_request(signal, round), NTH_REQUEST_WOKE);
    for (int i = 0; i < 1000; i++) {
      CHECK_EQ(nth_worker_signal_request(signal, 1000), NTH_REQUEST_NOT_NEEDED);
    }
    check_quiet(signal, 1, NTH_SIGNAL_REQUESTED);
    CHECK_EQ(stamp_of(signal_word(signal)), round); /* of the request, not of those that were not made */
    CHECK_EQ(nth_worker_park(chosen, -1), NTH_PARK_CHOSEN);
    check_quiet(signal, 1, NTH_SIGNAL_REQUESTED); /* acknowledging is the caller's */
    clear_bits(signal, NTH_SIGNAL_REQUESTED);
  }
  CHECK_EQ(nth_worker_signal_wakes(signal), 0); /* T53: no worker was in the kernel */
  CHECK_EQ(nth_worker_withdraw(other), NTH_PARK_TIMED_OUT);
  nth_worker_destroy(chosen);
  nth_worker_destroy(other);
  destroy_signal(signal);
}

TEST(a_parked_worker_is_woken_by_one_system_call) {
  nth_worker_signal_t *signal = new_signal();
  parked_t parked = {0};
  count_points();
  start_worker(&parked, signal, ENDLESS);
  UNTIL(passed(NTH__AT_PARK) == 1);
  CHECK_EQ(nth_worker_signal_request(signal, 1), NTH_REQUEST_WOKE);
  CHECK_EQ(join_worker(&parked), NTH_PARK_CHOSEN);
  CHECK_EQ(nth_worker_signal_wakes(signal), 1);
  destroy_signal(signal);
}

TEST(the_lingerer_suppresses_requests_until_its_bit_is_cleared) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *worker = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(worker, 0), 0);
  set_bits(signal, NTH_SIGNAL_LINGERING);
  CHECK_EQ(nth_worker_signal_request(signal, 1), NTH_REQUEST_NOT_NEEDED);
  check_quiet(signal, 1, NTH_SIGNAL_LINGERING);
  clear_bits(signal, NTH_SIGNAL_LINGERING);
  CHECK_EQ(nth_worker_signal_request(signal, 1), NTH_REQUEST_WOKE);
  CHECK_EQ(nth_worker_withdraw(worker), NTH_PARK_CHOSEN);
  clear_bits(signal, NTH_SIGNAL_REQUESTED);
  nth_worker_destroy(worker);
  destroy_signal(signal);
}

TEST(with_nobody_idle_a_growable_pool_is_asked_for_a_thread_once) {
  nth_worker_signal_t *signal = new_signal();
  set_bits(signal, NTH_SIGNAL_GROWABLE);
  CHECK_EQ(nth_worker_signal_request(signal, UINT32_MAX), NTH_REQUEST_START_THREAD);
  CHECK_EQ(stamp_of(signal_word(signal)), UINT32_MAX);
  CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_NOT_NEEDED);
  check_quiet(signal, 0, NTH_SIGNAL_REQUESTED | NTH_SIGNAL_GROWABLE);
  clear_bits(signal, NTH_SIGNAL_REQUESTED); /* the new thread */
  nth_worker_t *worker = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(worker, 0), 0);
  CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE); /* an idle worker comes first */
  CHECK_EQ(stamp_of(signal_word(signal)), 0);
  CHECK_EQ(nth_worker_withdraw(worker), NTH_PARK_CHOSEN);
  clear_bits(signal, NTH_SIGNAL_REQUESTED);
  nth_worker_destroy(worker);
  destroy_signal(signal);
}

TEST(T19_the_most_recently_announced_is_chosen) {
  nth_worker_signal_t *signal = new_signal();
  parked_t workers[6] = {0};
  for (int i = 0; i < 6; i++) {
    start_idle(&workers[i], signal, ENDLESS, i + 1);
  }
  for (int i = 5; i >= 0; i--) {
    CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
    CHECK_EQ(join_worker(&workers[i]), NTH_PARK_CHOSEN);
    check_quiet(signal, i, 0);
  }
  destroy_signal(signal);
}

TEST(T19_who_leaves_from_the_middle_keeps_the_order_of_the_rest) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *bottom = new_worker(signal), *middle = new_worker(signal), *top = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(bottom, 0), 0);
  CHECK_EQ(nth_worker_announce_idle(middle, 0), 0);
  CHECK_EQ(nth_worker_announce_idle(top, 0), 0);
  CHECK_EQ(nth_worker_park(middle, 1 * MS), NTH_PARK_TIMED_OUT);
  check_quiet(signal, 2, 0);
  CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
  CHECK_EQ(nth_worker_park(top, -1), NTH_PARK_CHOSEN);
  clear_bits(signal, NTH_SIGNAL_REQUESTED);
  CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
  CHECK_EQ(nth_worker_park(bottom, -1), NTH_PARK_CHOSEN);
  clear_bits(signal, NTH_SIGNAL_REQUESTED);
  nth_worker_destroy(bottom);
  nth_worker_destroy(middle);
  nth_worker_destroy(top);
  destroy_signal(signal);
}

/* ---- SENTINEL ------------------------------------------------------------------------------------------ */

TEST(there_is_one_sentinel_at_a_time) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *sentinel = new_worker(signal), *other = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(sentinel, NTH_ANNOUNCE_SENTINEL), 0);
  check_quiet(signal, 1, NTH_SIGNAL_SENTINEL);
  CHECK_EQ(nth_worker_announce_idle(other, NTH_ANNOUNCE_SENTINEL), -EBUSY);
  check_quiet(signal, 1, NTH_SIGNAL_SENTINEL); /* did nothing */
  CHECK_EQ(nth_worker_announce_idle(other, 0), 0);
  check_quiet(signal, 2, NTH_SIGNAL_SENTINEL);
  CHECK_EQ(nth_worker_withdraw(other), NTH_PARK_TIMED_OUT);
  check_quiet(signal, 1, NTH_SIGNAL_SENTINEL);
  CHECK_EQ(nth_worker_withdraw(sentinel), NTH_PARK_TIMED_OUT);
  check_quiet(signal, 0, 0);
  CHECK_EQ(nth_worker_announce_idle(other, NTH_ANNOUNCE_SENTINEL), 0);
  CHECK_EQ(nth_worker_withdraw(other), NTH_PARK_TIMED_OUT);
  nth_worker_destroy(sentinel);
  nth_worker_destroy(other);
  destroy_signal(signal);
}

TEST(a_sentinel_ends_with_its_choice_withdrawal_or_timeout) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *sentinel = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(sentinel, NTH_ANNOUNCE_SENTINEL), 0);
  CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
  check_quiet(signal, 0, NTH_SIGNAL_REQUESTED); /* already with the choice, not only when it runs */
  CHECK_EQ(nth_worker_park(sentinel, -1), NTH_PARK_CHOSEN);
  clear_bits(signal, NTH_SIGNAL_REQUESTED);
  CHECK_EQ(nth_worker_announce_idle(sentinel, NTH_ANNOUNCE_SENTINEL), 0);
  CHECK_EQ(nth_worker_park(sentinel, 100 * US), NTH_PARK_TIMED_OUT);
  check_quiet(signal, 0, 0);
  CHECK_EQ(nth_worker_announce_idle(sentinel, NTH_ANNOUNCE_SENTINEL), 0);
  CHECK_EQ(nth_worker_withdraw(sentinel), NTH_PARK_TIMED_OUT);
  check_quiet(signal, 0, 0);
  CHECK_EQ(nth_worker_announce_idle(sentinel, 0), 0); /* a former sentinel that is none any more */
  check_quiet(signal, 1, 0);
  CHECK_EQ(nth_worker_withdraw(sentinel), NTH_PARK_TIMED_OUT);
  nth_worker_destroy(sentinel);
  destroy_signal(signal);
}

TEST(choosing_another_worker_leaves_the_sentinel) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *sentinel = new_worker(signal), *other = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(sentinel, NTH_ANNOUNCE_SENTINEL), 0);
  CHECK_EQ(nth_worker_announce_idle(other, 0), 0);
  CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
  check_quiet(signal, 1, NTH_SIGNAL_SENTINEL | NTH_SIGNAL_REQUESTED);
  CHECK_EQ(nth_worker_park(other, -1), NTH_PARK_CHOSEN);
  clear_bits(signal, NTH_SIGNAL_REQUESTED);
  CHECK_EQ(nth_worker_withdraw(sentinel), NTH_PARK_TIMED_OUT);
  nth_worker_destroy(sentinel);
  nth_worker_destroy(other);
  destroy_signal(signal);
}

/* The sentinel is to stay parked: it goes below the newest of the others, which is chosen first. */
TEST(a_sentinel_is_chosen_after_the_newest_of_the_others) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *oldest = new_worker(signal), *newest = new_worker(signal), *sentinel = new_worker(signal);
  CHECK_EQ(nth_worker_announce_idle(oldest, 0), 0);
  CHECK_EQ(nth_worker_announce_idle(newest, 0), 0);
  CHECK_EQ(nth_worker_announce_idle(sentinel, NTH_ANNOUNCE_SENTINEL), 0);
  nth_worker_t *expected[] = {newest, sentinel, oldest};
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
    CHECK_EQ(nth_worker_park(expected[i], -1), NTH_PARK_CHOSEN);
    clear_bits(signal, NTH_SIGNAL_REQUESTED);
  }
  nth_worker_destroy(oldest);
  nth_worker_destroy(newest);
  nth_worker_destroy(sentinel);
  destroy_signal(signal);
}

/* ---- Bounds -------------------------------------------------------------------------------------------- */

TEST(T20_as_many_workers_as_the_idle_count_holds_and_no_more) {
  enum { MOST = UINT16_MAX };
  static nth_worker_t *workers[MOST];
  nth_worker_signal_t *signal = new_signal();
  set_bits(signal, NTH_SIGNAL_GROWABLE);
  for (int i = 0; i < MOST; i++) {
    workers[i] = new_worker(signal);
    CHECK_EQ(nth_worker_announce_idle(workers[i], 0), 0);
  }
  nth_worker_t *excess = NULL;
  CHECK_EQ(nth_worker_create(signal, &excess), -EOVERFLOW);
  CHECK(excess == NULL);
  check_quiet(signal, MOST, NTH_SIGNAL_GROWABLE);
  CHECK_EQ(nth_worker_signal_request(signal, UINT32_MAX), NTH_REQUEST_WOKE);
  check_quiet(signal, MOST - 1, NTH_SIGNAL_GROWABLE | NTH_SIGNAL_REQUESTED);
  CHECK_EQ(stamp_of(signal_word(signal)), UINT32_MAX);
  for (int i = 0; i < MOST; i++) {
    CHECK_EQ(nth_worker_withdraw(workers[i]), i == MOST - 1 ? NTH_PARK_CHOSEN : NTH_PARK_TIMED_OUT);
    nth_worker_destroy(workers[i]);
  }
  CHECK_EQ(nth_worker_create(signal, &excess), 0); /* freed parkers can be had again */
  nth_worker_destroy(excess);
  clear_bits(signal, NTH_SIGNAL_REQUESTED);
  destroy_signal(signal);
}

TEST(T21_parks_are_never_early) {
  static const int64_t timeouts[] = {0, 1, 1 * US, 1 * MS, 50 * MS};
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *worker = new_worker(signal);
  for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
    CHECK_EQ(nth_worker_announce_idle(worker, 0), 0);
    int64_t began = now_ns();
    CHECK_EQ(nth_worker_park(worker, timeouts[i]), NTH_PARK_TIMED_OUT);
    int64_t elapsed = now_ns() - began;
    CHECK(elapsed >= timeouts[i] && elapsed < timeouts[i] + 10 * SEC);
    check_quiet(signal, 0, 0);
  }
  nth_worker_destroy(worker);
  destroy_signal(signal);
}

TEST(T21_long_and_endless_parks_end_with_the_request) {
  static const int64_t timeouts[] = {10 * SEC, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX, -1, INT64_MIN};
  nth_worker_signal_t *signal = new_signal();
  for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
    parked_t parked = {0};
    start_idle(&parked, signal, timeouts[i], 1);
    spin_for(5 * MS);
    check_quiet(signal, 1, 0);
    CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
    CHECK_EQ(join_worker(&parked), NTH_PARK_CHOSEN);
  }
  destroy_signal(signal);
}

TEST(T58_parking_leaves_the_threads_scheduling_alone) {
  nth_worker_signal_t *signal = new_signal();
  nth_worker_t *worker = new_worker(signal);
  CHECK_EQ(nth_thread_set_nice(own_scheduling().nice + 1), 0);
  scheduling_t before = own_scheduling();
  CHECK_EQ(nth_worker_announce_idle(worker, 0), 0);
  CHECK_EQ(nth_worker_park(worker, 1 * MS), NTH_PARK_TIMED_OUT);
  scheduling_t after = own_scheduling();
  CHECK(same_scheduling(&after, &before));
  nth_worker_destroy(worker);
  destroy_signal(signal);
}

TEST(T40_the_process_ends_while_workers_are_parked) {
  static parked_t workers[4]; /* outlive this function, as their threads do */
  static nth_worker_signal_t *signal;
  signal = new_signal();
  for (int i = 0; i < 4; i++) {
    start_idle(&workers[i], signal, -1, i + 1);
    forget_thread(&workers[i].thread);
  }
}
