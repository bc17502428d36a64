/* SPDX-License-Identifier: MIT
 *
 * When a loop lingers for an event that may not come. Times are made up; no thread waits.
 */
#include "arrivals.h"

#include "harness.h"

static const int64_t latency = 20 * US;

static nth__arrivals_t after(int gaps, int64_t gap_ns) {
  nth__arrivals_t arrivals = {0};
  for (int i = 0; i < gaps; i++) {
    nth__arrivals_note(&arrivals, gap_ns, true, latency);
  }
  return arrivals;
}

TEST(a_loop_lingers_after_some_short_gaps_and_not_before) {
  nth__arrivals_t one_less = after(NTH__ARRIVAL_CREDIT - 1, latency), enough = after(NTH__ARRIVAL_CREDIT, latency);
  CHECK(!nth__arrivals_expected(&one_less));
  CHECK(nth__arrivals_expected(&enough));
}

TEST(gaps_that_are_not_short_earn_nothing) {
  nth__arrivals_t arrivals = after(1000, NTH__ARRIVAL_GAP_FACTOR * latency);
  CHECK(!nth__arrivals_expected(&arrivals));
}

TEST(T46_lingers_in_vain_end_it_however_many_gaps_were_short) {
  nth__arrivals_t arrivals = after(1000, latency);
  int lingers = 0;
  for (; nth__arrivals_expected(&arrivals); lingers++) {
    nth__arrivals_note_vain_linger(&arrivals);
    nth__arrivals_note(&arrivals, NTH__ARRIVAL_GAP_FACTOR * latency, true, latency);
  }
  CHECK_EQ(lingers, NTH__MOST_LINGER_CREDIT - NTH__ARRIVAL_CREDIT + 1);
  for (int i = 0; i < 100; i++) {
    nth__arrivals_note_vain_linger(&arrivals); /* never below nothing */
  }
  for (int i = 0; i < NTH__ARRIVAL_CREDIT; i++) {
    nth__arrivals_note(&arrivals, latency, true, latency);
  }
  CHECK(nth__arrivals_expected(&arrivals));
}

TEST(T108_one_silence_ends_it_whether_something_came_in_the_end_or_not) {
  for (int came = 0; came < 2; came++) {
    nth__arrivals_t arrivals = after(1000, latency);
    nth__arrivals_note(&arrivals, NTH__ARRIVAL_SILENCE_FACTOR * latency, came == 1, latency);
    CHECK(!nth__arrivals_expected(&arrivals));
    CHECK_EQ(arrivals.credit, 0);
  }
}

TEST(the_end_of_a_short_wait_without_anything_changes_nothing) {
  nth__arrivals_t arrivals = after(1000, latency), before = arrivals;
  nth__arrivals_note(&arrivals, 1, false, latency); /* a timer */
  CHECK_EQ(arrivals.credit, before.credit);
  CHECK_EQ(arrivals.gap_ns, before.gap_ns);
}

TEST(it_lingers_for_twice_the_usual_gap_within_bounds) {
  const struct {
    int64_t gap, time;
  } cases[] = {
    {0, latency},
    {latency / 4, latency},
    {latency, 2 * latency},
    {latency * 5 / 4, latency * 5 / 2},
    {NTH__ARRIVAL_GAP_FACTOR * latency - 1, NTH__ARRIVAL_GAP_FACTOR * latency},
  };
  CHECK_EQ(NTH__ARRIVAL_SPREAD, 2);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    nth__arrivals_t arrivals = after(1000, cases[i].gap);
    int64_t lingers = nth__arrivals_linger_ns(&arrivals, latency);
    CHECK(lingers <= cases[i].time && lingers > cases[i].time - US); /* the average ends a little below */
  }
}

TEST(one_gap_of_another_length_moves_the_average_by_a_part) {
  nth__arrivals_t arrivals = after(1000, latency);
  int64_t before = arrivals.gap_ns;
  nth__arrivals_note(&arrivals, 2 * latency, true, latency);
  CHECK_EQ(arrivals.gap_ns, before + (2 * latency - before) / NTH__ARRIVAL_WEIGHT);
}

TEST(T49_where_a_wake_costs_nothing_it_never_lingers) {
  nth__arrivals_t arrivals = {0};
  for (int i = 0; i < 1000; i++) {
    nth__arrivals_note(&arrivals, 0, true, 0);
  }
  CHECK(!nth__arrivals_expected(&arrivals));
}
