/* SPDX-License-Identifier: MIT
 *
 * Whose turn it is to fail. What the doors make of it is in fault_doors.c.
 */
#include "faults.h"

#include <stdatomic.h>

typedef struct plan {
  _Atomic int64_t first, period, calls, made;
} plan_t;

static plan_t plans[FAULTS];

void set_fault(int32_t fault, int64_t first, int64_t period) {
  plan_t *plan = &plans[fault];
  atomic_store(&plan->first, 0); /* no call fails while the rest changes */
  atomic_store(&plan->period, period);
  atomic_store(&plan->calls, 0);
  atomic_store(&plan->made, 0);
  atomic_store(&plan->first, first);
}

int64_t fault_calls(int32_t fault) {
  return atomic_load(&plans[fault].calls);
}

int64_t faults_made(int32_t fault) {
  return atomic_load(&plans[fault].made);
}

bool is_faulty(fault_t fault) {
  plan_t *plan = &plans[fault];
  int64_t call = atomic_fetch_add(&plan->calls, 1) + 1;
  int64_t first = atomic_load(&plan->first), period = atomic_load(&plan->period);
  bool faulty = first > 0 && (call == first || (call > first && period > 0 && (call - first) % period == 0));
  if (faulty) {
    atomic_fetch_add(&plan->made, 1);
  }
  return faulty;
}
