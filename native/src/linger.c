/* SPDX-License-Identifier: MIT
 *
 * What polling threads of a process share: the linger budget, one slot for each kind (T46), and whether others want their
 * processors (spin.h).
 */
#include <assert.h>

#include "cpus.h"
#include "spin.h"

typedef struct nth__linger_slot {
  NTH__OWN_LINE _Atomic uint32_t taken;
} nth__linger_slot_t;

static nth__linger_slot_t slots[NTH_LINGER_WAITER + 1];

_Atomic int32_t nth__crowded_polls;

int32_t nth_linger_acquire(int32_t kind) {
  if ((uint32_t)kind >= sizeof slots / sizeof slots[0] || !nth__spinning_pays()) {
    return 0;
  }
  /* The plain look keeps the cache line shared while another thread lingers. Acquire and release order one holder
   * before the next; nothing else depends on them. */
  _Atomic uint32_t *taken = &slots[kind].taken;
  uint32_t expected = 0;
  return atomic_load_explicit(taken, memory_order_relaxed) == 0
         && atomic_compare_exchange_strong_explicit(
             taken, &expected, 1, memory_order_acquire, memory_order_relaxed);
}

void nth_linger_release(int32_t kind) {
  if ((uint32_t)kind >= sizeof slots / sizeof slots[0]) {
    return;
  }
  assert(atomic_load_explicit(&slots[kind].taken, memory_order_relaxed) == 1);
  atomic_store_explicit(&slots[kind].taken, 0, memory_order_release);
}
