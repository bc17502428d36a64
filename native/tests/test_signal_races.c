/* SPDX-License-Identifier: MIT
 *
 * One thread held in each interesting window of the worker signal while others request, announce or leave. A
 * request never waits: where it would, the test hangs.
 */
#include "failpoints.h"
#include "signal_worker.h"

static void request(nth_worker_signal_t *signal, int32_t outcome) {
  CHECK_EQ(nth_worker_signal_request(signal, 1), outcome);
}

TEST(T14_a_request_before_the_push_is_counted_makes_none_and_is_seen_by_no_one) {
  nth_worker_signal_t *signal = new_signal();
  parked_t parked = {0};
  hold_at(NTH__AT_SIGNAL_PUSH);
  start_worker(&parked, signal, 300 * MS);
  await_held();
  request(signal, NTH_REQUEST_NOT_NEEDED); /* the announcing worker scans after its announcement */
  let_go();
  CHECK_EQ(join_worker(&parked), NTH_PARK_TIMED_OUT);
  destroy_signal(signal);
}

TEST(T14_a_request_before_the_push_with_others_idle_is_paid_by_the_announcer) {
  nth_worker_signal_t *signal = new_signal();
  parked_t below = {0}, above = {0};
  start_idle(&below, signal, ENDLESS, 1);
  hold_at(NTH__AT_SIGNAL_PUSH);
  start_worker(&above, signal, ENDLESS);
  await_held();
  request(signal, NTH_REQUEST_WOKE);
  CHECK((signal_word(signal) & NTH_SIGNAL_WAKE_OWED) != 0);
  request(signal, NTH_REQUEST_NOT_NEEDED);
  let_go();
  /* The most recent one, and awake: it takes the request itself. */
  CHECK_EQ(join_worker(&above), NTH_PARK_CHOSEN);
  CHECK_EQ(nth_worker_signal_wakes(signal), 0);
  check_quiet(signal, 1, 0);
  request(signal, NTH_REQUEST_WOKE);
  CHECK_EQ(join_worker(&below), NTH_PARK_CHOSEN);
  destroy_signal(signal);
}

TEST(T15_a_request_just_before_the_unlock_is_paid_by_the_holder) {
  nth_worker_signal_t *signal = new_signal();
  parked_t below = {0}, above = {0};
  start_idle(&below, signal, ENDLESS, 1);
  hold_at(NTH__AT_SIGNAL_UNLOCK);
  start_worker(&above, signal, ENDLESS);
  await_held(); /* the word to leave behind is computed, without a wake */
  request(signal, NTH_REQUEST_WOKE);
  let_go();
  CHECK_EQ(join_worker(&above), NTH_PARK_CHOSEN);
  check_quiet(signal, 1, 0);
  request(signal, NTH_REQUEST_WOKE);
  CHECK_EQ(join_worker(&below), NTH_PARK_CHOSEN);
  destroy_signal(signal);
}

TEST(T15_a_chosen_worker_that_holds_the_lock_to_find_that_out_pays_for_the_next_request) {
  nth_worker_signal_t *signal = new_signal();
  parked_t below = {0}, chosen = {0};
  start_idle(&below, signal, ENDLESS, 1);
  hold_at(NTH__AT_TIMED_OUT);
  start_worker(&chosen, signal, 1 * MS);
  await_held();
  request(signal, NTH_REQUEST_WOKE);
  let_go_and_hold_at(NTH__AT_SIGNAL_UNLOCK);
  await_held(); /* knows that it was popped, and is about to clear LOCKED */
  clear_bits(signal, NTH_SIGNAL_REQUESTED); /* the watchdog's repair */
  request(signal, NTH_REQUEST_WOKE);
  let_go();
  CHECK_EQ(join_worker(&below), NTH_PARK_CHOSEN);
  CHECK_EQ(join_worker(&chosen), NTH_PARK_CHOSEN);
  destroy_signal(signal);
}

static void request_by_thread(void *argument) {
  request(argument, NTH_REQUEST_WOKE);
}

TEST(T15_a_repaired_request_while_the_first_requester_holds_the_lock_wakes_one_for_both) {
  nth_worker_signal_t *signal = new_signal();
  parked_t workers[2] = {0};
  start_idle(&workers[0], signal, ENDLESS, 1);
  start_idle(&workers[1], signal, ENDLESS, 2);
  hold_at(NTH__AT_SIGNAL_UNLOCK);
  thread_t requester;
  start_thread(&requester, request_by_thread, signal);
  await_held(); /* a wake is owed and not paid */
  clear_bits(signal, NTH_SIGNAL_REQUESTED); /* the watchdog's repair */
  request(signal, NTH_REQUEST_WOKE);
  let_go();
  join_thread(&requester);
  CHECK_EQ(join_worker(&workers[1]), NTH_PARK_CHOSEN); /* runs, and acknowledges, after both requests */
  check_quiet(signal, 1, 0);
  request(signal, NTH_REQUEST_WOKE);
  CHECK_EQ(join_worker(&workers[0]), NTH_PARK_CHOSEN);
  destroy_signal(signal);
}

TEST(T15_managed_changes_of_the_word_while_it_is_locked_survive) {
  nth_worker_signal_t *signal = new_signal();
  parked_t parked = {0};
  hold_at(NTH__AT_SIGNAL_UNLOCK);
  start_worker(&parked, signal, ENDLESS);
  await_held();
  set_bits(signal, NTH_SIGNAL_GROWABLE | NTH_SIGNAL_LINGERING);
  let_go();
  UNTIL(idle_count(signal_word(signal)) == 1);
  check_quiet(signal, 1, NTH_SIGNAL_GROWABLE | NTH_SIGNAL_LINGERING);
  clear_bits(signal, NTH_SIGNAL_LINGERING);
  request(signal, NTH_REQUEST_WOKE);
  CHECK_EQ(join_worker(&parked), NTH_PARK_CHOSEN);
  destroy_signal(signal);
}

TEST(T12_T16_a_worker_whose_time_is_over_learns_that_it_was_chosen) {
  nth_worker_signal_t *signal = new_signal();
  parked_t parked = {0};
  hold_at(NTH__AT_TIMED_OUT);
  start_worker(&parked, signal, 1 * MS);
  await_held(); /* still on the stack */
  request(signal, NTH_REQUEST_WOKE);
  let_go();
  CHECK_EQ(join_worker(&parked), NTH_PARK_CHOSEN);
  destroy_signal(signal);
}

TEST(T12_a_chosen_worker_waits_for_its_token_past_its_time) {
  nth_worker_signal_t *signal = new_signal();
  parked_t parked = {0};
  start_idle(&parked, signal, 100 * MS, 1);
  hold_at(NTH__AT_GRANT);
  thread_t requester;
  start_thread(&requester, request_by_thread, signal);
  await_held(); /* popped; the token is not set */
  count_points();
  UNTIL(passed(NTH__AT_TIMED_OUT) == 1);
  spin_for(5 * MS);
  CHECK(!atomic_load(&parked.done)); /* its parker may not be freed yet */
  let_go();
  CHECK_EQ(join_worker(&parked), NTH_PARK_CHOSEN);
  join_thread(&requester);
  destroy_signal(signal);
}

static void leave_while_requested(bool withdraw, uint32_t flags) {
  nth_worker_signal_t *signal = new_signal();
  parked_t leaver = {.withdraw = withdraw, .flags = flags};
  hold_at(NTH__AT_SIGNAL_WITHDRAW);
  start_worker(&leaver, signal, 1 * MS);
  await_held(); /* the only one, locked, and about to take itself off the stack */
  request(signal, NTH_REQUEST_WOKE);
  request(signal, NTH_REQUEST_NOT_NEEDED);
  let_go();
  CHECK_EQ(join_worker(&leaver), NTH_PARK_CHOSEN);
  CHECK_EQ(nth_worker_signal_wakes(signal), 0);
  destroy_signal(signal);
}

TEST(T16_the_last_idle_worker_cannot_leave_with_a_request_on_its_heels) {
  leave_while_requested(false, 0);
  leave_while_requested(true, 0);
  leave_while_requested(false, NTH_ANNOUNCE_SENTINEL);
  leave_while_requested(true, NTH_ANNOUNCE_SENTINEL);
}

TEST(T13_whatever_way_a_park_ended_the_next_request_wakes) {
  nth_worker_signal_t *signal = new_signal();
  for (int way = 0; way < 4; way++) {
    parked_t first = {0}, second = {0};
    if (way == 0) { /* a timeout */
      start_worker(&first, signal, 1 * MS);
      CHECK_EQ(join_worker(&first), NTH_PARK_TIMED_OUT);
    } else if (way == 1) { /* a choice */
      start_idle(&first, signal, ENDLESS, 1);
      request(signal, NTH_REQUEST_WOKE);
      CHECK_EQ(join_worker(&first), NTH_PARK_CHOSEN);
    } else { /* a choice after the time was over, popped or not */
      hold_at(way == 2 ? NTH__AT_TIMED_OUT : NTH__AT_SIGNAL_WITHDRAW);
      start_worker(&first, signal, 1 * MS);
      await_held();
      request(signal, NTH_REQUEST_WOKE);
      let_go();
      CHECK_EQ(join_worker(&first), NTH_PARK_CHOSEN);
    }
    start_idle(&second, signal, ENDLESS, 1);
    request(signal, NTH_REQUEST_WOKE);
    CHECK_EQ(join_worker(&second), NTH_PARK_CHOSEN);
  }
  destroy_signal(signal);
}

TEST(of_two_workers_that_ask_at_the_same_time_one_is_the_sentinel) {
  nth_worker_signal_t *signal = new_signal();
  parked_t first = {.flags = NTH_ANNOUNCE_SENTINEL}, second = {.flags = NTH_ANNOUNCE_SENTINEL};
  hold_at(NTH__AT_SIGNAL_PUSH);
  start_worker(&first, signal, ENDLESS);
  await_held();
  start_worker(&second, signal, ENDLESS); /* saw no SENTINEL, or waits for the lock */
  spin_for(1 * MS);
  let_go();
  join_thread(&second.thread);
  CHECK_EQ(second.announced, -EBUSY);
  check_quiet(signal, 1, NTH_SIGNAL_SENTINEL);
  request(signal, NTH_REQUEST_WOKE);
  CHECK_EQ(join_worker(&first), NTH_PARK_CHOSEN);
  destroy_signal(signal);
}
