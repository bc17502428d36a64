/* SPDX-License-Identifier: MIT
 *
 * How many CPUs there are, and whether that makes spinning worth while.
 */
#include "cpus.h"

#include "prim/prim.h"
#include "tuning.h"

/* Both relaxed: a stale answer costs a useless spin or a missed one. */
static _Atomic int64_t next_look_ns;
static _Atomic bool pays;

bool nth__look_whether_spinning_pays(void) {
  return nth_usable_cpus() > 1;
}

bool nth__spinning_pays(void) {
  int64_t now = nth__now_ns();
  int64_t due = atomic_load_explicit(&next_look_ns, memory_order_relaxed);
  if (now >= due
      && atomic_compare_exchange_strong_explicit(
          &next_look_ns, &due, now + NTH__CPUS_LOOK_NS, memory_order_relaxed, memory_order_relaxed)) {
    atomic_store_explicit(&pays, nth__look_whether_spinning_pays(), memory_order_relaxed);
  }
  return atomic_load_explicit(&pays, memory_order_relaxed);
}
