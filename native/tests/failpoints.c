/* SPDX-License-Identifier: MIT
 *
 * The hook behind failpoints.h.
 */
#include "failpoints.h"

enum { NOBODY, WANTED, HELD, RELEASED, RELEASED_AND_WANTED };

static _Atomic int held_point;
static _Atomic int state;
static _Atomic int64_t counts[NTH__FAILPOINTS];

static void hook(nth__failpoint_t point) {
  atomic_fetch_add(&counts[point], 1);
  int wanted = WANTED;
  if ((int)point == atomic_load(&held_point) && atomic_compare_exchange_strong(&state, &wanted, HELD)) {
    UNTIL(atomic_load(&state) != HELD);
    atomic_store(&state, atomic_load(&state) == RELEASED ? NOBODY : WANTED);
  }
}

void hold_at(nth__failpoint_t point) {
  CHECK_EQ(atomic_load(&state), NOBODY);
  atomic_store(&held_point, (int)point);
  atomic_store(&state, WANTED);
  atomic_store(&nth__failpoint_hook, hook);
}

void await_held(void) {
  UNTIL(atomic_load(&state) == HELD);
}

void let_go(void) {
  CHECK_EQ(atomic_load(&state), HELD);
  atomic_store(&state, RELEASED);
  UNTIL(atomic_load(&state) != RELEASED);
}

void let_go_and_hold_at(nth__failpoint_t point) {
  CHECK_EQ(atomic_load(&state), HELD);
  atomic_store(&held_point, (int)point);
  atomic_store(&state, RELEASED_AND_WANTED);
  UNTIL(atomic_load(&state) != RELEASED_AND_WANTED);
}

void count_points(void) {
  for (int i = 0; i < NTH__FAILPOINTS; i++) {
    atomic_store(&counts[i], 0);
  }
  atomic_store(&nth__failpoint_hook, hook);
}

int64_t passed(nth__failpoint_t point) {
  return atomic_load(&counts[point]);
}
