/* SPDX-License-Identifier: MIT
 *
 * How a thread polls for what another thread is about to do. One rule: between two looks it pauses. Once it has polled
 * freely, and if others want its processor, it yields instead: what it waits for may need that very processor (T60).
 * The same rule in C# is Platform/SpinRule.cs. The numbers depend on who waits for what (tuning.h):
 *
 *   who                                polls freely for             others want the processor
 *   nth__lock                          NTH__LOCK_ROUNDS, doubling   always: the holder was pre-empted
 *   a loop that closes                 NTH__CLOSE_PAUSES            always: the waker was pre-empted
 *   a loop that lingers                NTH__FREE_POLLING_NS         always
 *   a semaphore's waiter that lingers  NTH__FREE_POLLING_NS         where a processor was lost lately
 *   nth__consume_token                 NTH__TOKEN_POLLS             it parks instead
 *
 * What is measured. Managed polls yield only where a processor was lost lately: to yield always cost the table round-trip up to half
 * of its speed. Not measured: that the semaphore does the same, which never yielded before; and that a loop yields always, which
 * it has done from the start.
 */
#ifndef NTH__SPIN_H
#define NTH__SPIN_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "prim/prim.h"
#include "tuning.h"

/* The rule. */
static inline bool nth__spin_yields(bool polled_freely, bool crowded) {
  return polled_freely && crowded;
}

/* ---- By rounds: no clock is read ----------------------------------------------------------------------- */

/* Between two looks at what a thread does in a few instructions, if it has a processor. round counts from 0; its pauses
 * double where doubles is set. */
static inline void nth__spin_round(unsigned *round, unsigned free_rounds, bool doubles) {
  bool polled_freely = *round >= free_rounds;
  if (nth__spin_yields(polled_freely, true)) {
    nth__yield();
    return;
  }
  for (unsigned i = doubles ? 1u << *round : 1; i > 0; i--) {
    nth__pause();
  }
  ++*round;
}

/* ---- By the clock -------------------------------------------------------------------------------------- */

enum { NTH__CROWDED_FOR_EVER = INT_MAX };

/* Polls of the process that still count as crowded. All accesses are relaxed, and an update is lost now and then: it is
 * an estimate. */
extern _Atomic int32_t nth__crowded_polls;

/* One poll, of at most a wake latency. */
typedef struct nth__timed_spin {
  int64_t free_until_ns;
  int64_t last_ns;
  int32_t memory; /* for how many polls a lost CPU is remembered */
  bool crowded;
} nth__timed_spin_t;

static inline nth__timed_spin_t nth__timed_spin_begin(int64_t now_ns, int32_t memory) {
  bool crowded = memory == NTH__CROWDED_FOR_EVER;
  if (!crowded) {
    int32_t polls = atomic_load_explicit(&nth__crowded_polls, memory_order_relaxed);
    crowded = polls > 0;
    if (crowded) {
      atomic_store_explicit(&nth__crowded_polls, polls - 1, memory_order_relaxed);
    }
  }
  return (nth__timed_spin_t){now_ns + NTH__FREE_POLLING_NS, now_ns, memory, crowded};
}

/* Between two looks: whether to yield. If they lie far apart, another thread ran on this processor meanwhile. */
static inline bool nth__timed_spin_yields(nth__timed_spin_t *spin, int64_t now_ns) {
  if (spin->memory != NTH__CROWDED_FOR_EVER && now_ns - spin->last_ns > NTH__LOST_CPU_NS) {
    atomic_store_explicit(&nth__crowded_polls, spin->memory, memory_order_relaxed);
  }
  spin->last_ns = now_ns;
  return nth__spin_yields(now_ns >= spin->free_until_ns, spin->crowded);
}

#endif
