/* SPDX-License-Identifier: MIT
 *
 * Lingering of an event loop: polling the word, and the kernel, before the loop sleeps. What it saves is a wake.
 *
 * A loop lingers where polls with NTH_POLL_LINGER soon found something, lately (arrivals.h), within the budget of
 * NTH_LINGER_READINESS, and looks at its descriptors all the time.
 *
 * While a loop lingers BLOCKED is clear, so wakers make no system call: to the protocol of event_loop_wake.c it runs.
 * native/models/event_loop.pml lets a loop linger before each sleep and end at any moment, whatever the reason.
 *
 * Other threads get the processor: a lingering loop yields after NTH__FREE_POLLING_NS. If another thread ran then
 * and nothing has come meanwhile, the loop sleeps: the scheduler prefers a thread that wakes to one that has used its time up by polling. If that thread kept the processor for a time slice or so, it computes, and a
 * yield costs more than a wake: the loop does not linger for NTH__ARRIVAL_REST_NS.
 */
#include "event_loop_linger.h"

#include "event_loop_look.h"
#include "event_loop_wake.h"
#include "failpoint.h"
#include "spin.h"

/* One linger, within a slot of the budget. */
static int32_t linger(nth_event_loop_t *loop, int64_t *now_ns, int64_t end_ns) {
  nth__count(&loop->lingers);
  nth__failpoint(NTH__AT_LOOP_LINGER);
  int32_t result = 0;
  int64_t lost_ns = 0, free_until_ns = *now_ns + NTH__FREE_POLLING_NS;
  while (result >= 0 && loop->batch.count == 0 && *now_ns < end_ns && lost_ns <= NTH__LOST_CPU_NS) {
    int64_t last_ns = *now_ns;
    if (last_ns >= free_until_ns) {
      nth__yield(); /* half a microsecond, unless another thread takes the CPU (T49) */
    }
    for (int i = 0; i < NTH__PAUSES_BETWEEN_CLOCK_READS && !nth__wake_pending(loop); i++) {
      nth__pause();
    }
    if (loop->registrations.used > 0) {
      result = nth__look(loop, *now_ns, nth__batch_room(&loop->batch));
    }
    if (loop->batch.count == 0 && nth__wake_take(loop)) {
      nth__report_wake(loop);
    }
    *now_ns = nth__now_ns();
    lost_ns = *now_ns - last_ns;
  }
  if (lost_ns >= NTH__ARRIVAL_SILENCE_FACTOR * loop->linger_ns) {
    loop->crowded_until_ns = *now_ns + NTH__ARRIVAL_REST_NS;
  }
  return result;
}

/* Where all threads of the process share the time of one processor: one yield in place of all polls. */
static void linger_by_yield(nth_event_loop_t *loop, int64_t *now_ns) {
  nth__failpoint(NTH__AT_LOOP_LINGER);
  int64_t began_ns = *now_ns;
  nth__yield();
  if (nth__wake_take(loop)) {
    nth__report_wake(loop);
  }
  *now_ns = nth__now_ns();
  if (*now_ns - began_ns >= NTH__LONG_YIELD_NS) {
    loop->crowded_until_ns = *now_ns + NTH__ARRIVAL_REST_NS;
  }
}

int32_t nth__linger(nth_event_loop_t *loop, int64_t *now_ns, int64_t deadline_ns, uint32_t flags) {
  if ((flags & NTH_POLL_LINGER) == 0 || !nth__arrivals_expected(&loop->arrivals) || *now_ns < loop->crowded_until_ns) {
    return 0;
  }
  if (loop->linger_ns < 0) {
    loop->linger_ns = nth_wake_latency_ns();
  }
  if (loop->linger_ns == 0) {
    linger_by_yield(loop, now_ns);
    return 0;
  }
  if (loop->registrations.used > 0) {
    /* Among many connections one is ready: no need to ask for the budget, nor to announce a sleep. */
    int32_t count = nth__look(loop, *now_ns, nth__batch_room(&loop->batch));
    if (count < 0 || loop->batch.count > 0) {
      return count;
    }
  }
  if (nth_linger_acquire(NTH_LINGER_READINESS) == 0) {
    return 0;
  }
  int64_t time = nth__arrivals_linger_ns(&loop->arrivals, loop->linger_ns);
  int32_t result = linger(loop, now_ns, time < deadline_ns - *now_ns ? *now_ns + time : deadline_ns);
  if (loop->batch.count == 0) {
    nth__arrivals_note_vain_linger(&loop->arrivals);
  }
  nth_linger_release(NTH_LINGER_READINESS);
  return result;
}

void nth__linger_note_wait(nth_event_loop_t *loop, int64_t waited_ns, bool slept) {
  int64_t latency = loop->linger_ns <= 0 ? NTH__LONGEST_LATENCY_NS : loop->linger_ns; /* the longest that it can be */
  int64_t gap = slept ? waited_ns - latency : waited_ns;
  nth__arrivals_note(&loop->arrivals, gap < 0 ? 0 : gap, loop->batch.count > 0, latency);
}
