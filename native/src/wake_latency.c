/* SPDX-License-Identifier: MIT
 *
 * How long a parked thread takes from its wake until it runs: the time that lingering is worth. Measured
 * once, by the first caller, with a helper thread of its own.
 */
#include <stdlib.h>

#include "cpus.h"
#include "prim/errors.h"
#include "prim/prim.h"
#include "tuning.h"

/* The helper parks while turn is even and ends when it reads LAST_TURN. */
#define LAST_TURN UINT32_MAX

typedef struct nth__latency_probe {
  NTH__OWN_LINE _Atomic uint32_t turn; /* odd: the helper's move */
  int64_t ran_at;                      /* these two are written by the helper before it makes turn even */
  int32_t ran_on;
} nth__latency_probe_t;

static void help(void *argument) {
  nth__latency_probe_t *probe = argument;
  uint32_t turn = 0;
  for (;;) {
    /* Acquire/release on turn orders the accesses of the two threads to ran_at. */
    uint32_t seen = atomic_load_explicit(&probe->turn, memory_order_acquire);
    if (seen == LAST_TURN) {
      return;
    }
    if (seen == turn) {
      nth__park(&probe->turn, turn, NTH__FOREVER);
      continue;
    }
    probe->ran_at = nth__now_ns();
    probe->ran_on = nth__current_cpu();
    turn = seen + 1;
    /* The caller may have given up and set LAST_TURN meanwhile. */
    atomic_compare_exchange_strong_explicit(
        &probe->turn, &seen, turn, memory_order_release, memory_order_relaxed);
  }
}

static void spin_until(int64_t time_ns) {
  while (nth__now_ns() < time_ns) {
    nth__pause();
  }
}

static int by_size(const void *left, const void *right) {
  int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;
  return (l > r) - (l < r);
}

static int64_t measure(void) {
  nth__latency_probe_t *probe = nth__alloc(sizeof *probe);
  nth__thread_t helper;
  if (probe == NULL || nth__thread_start(&helper, help, probe) != 0) {
    nth__free(probe);
    return NTH__FALLBACK_LATENCY_NS;
  }

  int64_t samples[NTH__LATENCY_ROUNDS];
  size_t count = 0;
  int64_t give_up = nth__now_ns() + NTH__LATENCY_PATIENCE_NS;
  for (uint32_t turn = 0; count < NTH__LATENCY_ROUNDS && nth__now_ns() < give_up; turn += 2) {
    spin_until(nth__now_ns() + NTH__LATENCY_SETTLE_NS);
    int64_t woken_at = nth__now_ns();
    atomic_store_explicit(&probe->turn, turn + 1, memory_order_release);
    nth__unpark(&probe->turn);
    bool late = false;
    while (!late && atomic_load_explicit(&probe->turn, memory_order_acquire) == turn + 1) {
      nth__pause();
      late = nth__now_ns() > give_up;
    }
    if (late) {
      break;
    }
    /* The scheduler has put the helper on this CPU, where it ran at once for a tenth of the price. That is not the
     * latency meant. */
    if (probe->ran_on < 0 || probe->ran_on != nth__current_cpu()) {
      samples[count++] = probe->ran_at - woken_at;
    }
  }

  atomic_store_explicit(&probe->turn, LAST_TURN, memory_order_release);
  nth__unpark(&probe->turn);
  nth__thread_join(&helper);
  nth__free(probe);
  if (count < NTH__LATENCY_ENOUGH_ROUNDS) {
    return NTH__FALLBACK_LATENCY_NS;
  }
  qsort(samples, count, sizeof samples[0], by_size);
  int64_t median = samples[count / 2];
  return median < NTH__SHORTEST_LATENCY_NS  ? NTH__SHORTEST_LATENCY_NS
         : median > NTH__LONGEST_LATENCY_NS ? NTH__LONGEST_LATENCY_NS
                                            : median;
}

int64_t nth_wake_latency_ns(void) {
  enum { UNKNOWN, MEASURING, KNOWN };
  static _Atomic uint32_t state;
  static int64_t latency_ns; /* published by the release store of KNOWN */

  if (!nth__look_whether_spinning_pays()) {
    return 0;
  }
  uint32_t seen = UNKNOWN;
  if (atomic_compare_exchange_strong_explicit(
          &state, &seen, MEASURING, memory_order_acquire, memory_order_acquire)) {
    latency_ns = measure();
    atomic_store_explicit(&state, KNOWN, memory_order_release);
    nth__unpark(&state);
    return latency_ns;
  }
  /* A bounded wait instead of a lock: the measuring thread may be gone, as in the child of a fork (T41). A woken waiter
   * wakes the next. */
  int64_t deadline = nth__deadline(NTH__LATENCY_WAIT_FACTOR * NTH__LATENCY_PATIENCE_NS);
  while (seen == MEASURING && nth__park(&state, MEASURING, deadline) == 0) {
    seen = atomic_load_explicit(&state, memory_order_acquire);
  }
  nth__unpark(&state);
  return seen == KNOWN ? latency_ns : NTH__FALLBACK_LATENCY_NS;
}
