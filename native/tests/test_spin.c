/* SPDX-License-Identifier: MIT
 *
 * The rule by which threads poll. Times are made up; no thread waits.
 */
#include "harness.h"
#include "spin.h"

static const int64_t start = 1000 * 1000;

static bool begins_crowded(void) {
  nth__timed_spin_t spin = nth__timed_spin_begin(start);
  return spin.crowded;
}

/* A poll between two looks of which another thread ran. */
static void lose_a_cpu(void) {
  nth__timed_spin_t spin = nth__timed_spin_begin(start);
  CHECK(!nth__timed_spin_yields(&spin, start + NTH__LOST_CPU_NS + 1));
}

TEST(a_poll_that_nobody_disturbs_never_yields) {
  nth__timed_spin_t spin = nth__timed_spin_begin(start);
  for (int64_t now = start; now < start + 50 * NTH__FREE_POLLING_NS; now += NTH__LOST_CPU_NS) {
    CHECK(!nth__timed_spin_yields(&spin, now));
  }
  CHECK(!begins_crowded());
}

TEST(a_lost_cpu_is_remembered_for_some_polls) {
  lose_a_cpu();
  for (int i = 0; i < NTH__CROWDED_POLLS; i++) {
    CHECK(begins_crowded());
  }
  CHECK(!begins_crowded());
}

TEST(T60_a_crowded_poll_is_free_at_first) {
  lose_a_cpu();
  nth__timed_spin_t spin = nth__timed_spin_begin(start);
  CHECK(!nth__timed_spin_yields(&spin, start + NTH__FREE_POLLING_NS - 1));
  CHECK(nth__timed_spin_yields(&spin, start + NTH__FREE_POLLING_NS));
}

TEST(T22_rounds_end_with_yields_however_many_there_are) {
  unsigned round = 0;
  for (int i = 0; i < 1000; i++) {
    nth__spin_round(&round, NTH__LOCK_ROUNDS, true);
  }
  CHECK_EQ(round, NTH__LOCK_ROUNDS);
}
