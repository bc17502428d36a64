/* SPDX-License-Identifier: MIT
 *
 * Whether a loop lingers although no event is promised, and for how long: by how soon something came lately.
 *
 * A gap is the time from a poll that finds nothing until a descriptor is ready or a wake comes. It is measured in wake
 * latencies, since one of them is what a linger saves. A sleeper's gap includes the loop's own wake, which is taken off.
 *
 *   what a poll saw                                      credit
 *   a gap below NTH__ARRIVAL_GAP_FACTOR latencies        + 1, at most NTH__MOST_LINGER_CREDIT; the average takes it in
 *   a failed linger                                      - 1
 *   nothing for NTH__ARRIVAL_SILENCE_FACTOR latencies    0
 *
 * From NTH__ARRIVAL_CREDIT on the loop lingers, for NTH__ARRIVAL_SPREAD average gaps, but for one latency at least and
 * NTH__ARRIVAL_GAP_FACTOR of them at most. So a loop whose events are rare never lingers, and one that falls silent
 * lingers once more.
 */
#ifndef NTH__ARRIVALS_H
#define NTH__ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "tuning.h"

/* Of the loop's thread alone; zero at first. */
typedef struct nth__arrivals {
  int32_t credit;
  int64_t gap_ns; /* the average */
} nth__arrivals_t;

static inline bool nth__arrivals_expected(const nth__arrivals_t *arrivals) {
  return arrivals->credit >= NTH__ARRIVAL_CREDIT;
}

static inline int64_t nth__arrivals_linger_ns(const nth__arrivals_t *arrivals, int64_t latency_ns) {
  int64_t time = NTH__ARRIVAL_SPREAD * arrivals->gap_ns, most = NTH__ARRIVAL_GAP_FACTOR * latency_ns;
  return time < latency_ns ? latency_ns : time > most ? most : time;
}

/* A poll that waited has ended, after so long; with something, or because its time was over or a timer due. */
static inline void nth__arrivals_note(
    nth__arrivals_t *arrivals, int64_t waited_ns, bool came, int64_t latency_ns) {
  if (waited_ns >= NTH__ARRIVAL_SILENCE_FACTOR * latency_ns) {
    arrivals->credit = 0;
  } else if (came && waited_ns < NTH__ARRIVAL_GAP_FACTOR * latency_ns) {
    arrivals->gap_ns += (waited_ns - arrivals->gap_ns) / NTH__ARRIVAL_WEIGHT;
    if (arrivals->credit < NTH__MOST_LINGER_CREDIT) {
      arrivals->credit++;
    }
  }
}

static inline void nth__arrivals_note_vain_linger(nth__arrivals_t *arrivals) {
  if (arrivals->credit > 0) {
    arrivals->credit--;
  }
}

#endif
