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

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "prim/prim.h"
#include "tuning.h"

/* ---- By rounds: no clock is read ----------------------------------------------------------------------- */

/* Between two looks at what a thread does in a few instructions, if it has a processor. round counts from 0; its pauses
 * double where doubles is set. */
static inline void nth__spin_round(unsigned *round, unsigned free_rounds, bool doubles) {
  if (*round >= free_rounds) {
    nth__yield();
    return;
  }
  for (unsigned i = doubles ? 1u << *round : 1; i > 0; i--) {
    nth__pause();
  }
  ++*round;
}

/* ---- By the clock -------------------------------------------------------------------------------------- */

/* Polls of the process that still count as crowded. All accesses are relaxed, and an update is lost now and then: it is
 * an estimate. */
extern _Atomic int32_t nth__crowded_polls;

/* One poll, of at most a wake latency. */
typedef struct nth__timed_spin {
  int64_t free_until_ns;
  int64_t last_ns;
  bool crowded;
} nth__timed_spin_t;

static inline nth__timed_spin_t nth__timed_spin_begin(int64_t now_ns) {
  int32_t polls = atomic_load_explicit(&nth__crowded_polls, memory_order_relaxed);
  if (polls > 0) {
    atomic_store_explicit(&nth__crowded_polls, polls - 1, memory_order_relaxed);
  }
  return (nth__timed_spin_t){now_ns + NTH__FREE_POLLING_NS, now_ns, polls > 0};
}

/* Between two looks: whether to yield. If they lie far apart, another thread ran on this processor meanwhile. */
static inline bool nth__timed_spin_yields(nth__timed_spin_t *spin, int64_t now_ns) {
  if (now_ns - spin->last_ns > NTH__LOST_CPU_NS) {
    atomic_store_explicit(&nth__crowded_polls, NTH__CROWDED_POLLS, memory_order_relaxed);
  }
  spin->last_ns = now_ns;
  return spin->crowded && now_ns >= spin->free_until_ns;
}

#endif
