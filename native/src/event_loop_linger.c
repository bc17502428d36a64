/* SPDX-License-Identifier: MIT
 *
 * Lingering of an event loop: polling the word, and the kernel, before the loop sleeps. What it saves is a wake.
 *
 *   why                                            budget                   for                 looks at descriptors
 *   NTH_POLL_OUTSTANDING: a completion is known    NTH_LINGER_COMPLETION    one wake latency    now and then
 *   NTH_POLL_LINGER: something came soon, lately   NTH_LINGER_READINESS     see arrivals.h      all the time
 *
 * A slot each, because a loop that waits for its peer does so most of the time: with one slot it would keep all others
 * from what they know will come. Each reason has a credit of its own.
 *
 * While a loop lingers BLOCKED is clear, so wakers make no system call: to the protocol of event_loop_wake.c it runs.
 * native/models/event_loop.pml lets a loop linger before each sleep and end at any moment, whatever the reason.
 *
 * Whoever wants the processor gets it: a lingering loop yields after NTH__FREE_POLLING_NS. If another thread ran then
 * and nothing has come meanwhile, a loop that was promised nothing sleeps: the scheduler prefers a thread that wakes
 * to one that has used its time up by polling. If that thread kept the processor for a time slice or so, it computes, and a
 * yield costs more than a wake: the loop does not linger for NTH__ARRIVAL_REST_NS.
 */
#include "event_loop_linger.h"

#include "event_loop_look.h"
#include "event_loop_wake.h"
#include "failpoint.h"
#include "spin.h"

/* What is not known yet: the longest that it can be. */
static int64_t latency_or_longest(const nth_event_loop_t *loop) {
  return loop->linger_ns < 0 ? NTH__LONGEST_LATENCY_NS : loop->linger_ns;
}

/* One linger, within a slot of the budget. */
static int32_t linger(
    nth_event_loop_t *loop, int64_t *now_ns, int64_t end_ns, int64_t look_interval_ns, bool promised) {
  nth__count(&loop->lingers);
  nth__failpoint(NTH__AT_LOOP_LINGER);
  int64_t next_look = *now_ns;
  nth__timed_spin_t spin = nth__timed_spin_begin(*now_ns, NTH__CROWDED_FOR_EVER);
  int32_t result = 0;
  int64_t lost_ns = 0;
  while (
      result >= 0 && loop->batch.count == 0 && *now_ns < end_ns && (promised || lost_ns <= NTH__LOST_CPU_NS)) {
    if (nth__timed_spin_yields(&spin, *now_ns)) {
      nth__yield(); /* half a microsecond, unless somebody takes the CPU (T49) */
    }
    for (int i = 0; i < NTH__PAUSES_BETWEEN_CLOCK_READS && !nth__wake_pending(loop); i++) {
      nth__pause();
    }
    if (loop->registrations.used > 0 && *now_ns >= next_look) {
      next_look = *now_ns + look_interval_ns;
      result = nth__look(loop, *now_ns, nth__batch_room(&loop->batch));
    }
    if (loop->batch.count == 0 && nth__wake_take(loop)) {
      nth__report_wake(loop);
    }
    *now_ns = nth__now_ns();
    lost_ns = *now_ns - spin.last_ns;
  }
  if (lost_ns >= NTH__ARRIVAL_SILENCE_FACTOR * loop->linger_ns) {
    loop->crowded_until_ns = *now_ns + NTH__ARRIVAL_REST_NS;
  }
  return result;
}

int32_t nth__linger(nth_event_loop_t *loop, int64_t *now_ns, int64_t deadline_ns, uint32_t flags) {
  bool promised = (flags & NTH_POLL_OUTSTANDING) != 0 && nth__linger_credit_any(&loop->credit);
  bool expected = (flags & NTH_POLL_LINGER) != 0 && nth__arrivals_expected(&loop->arrivals)
                  && *now_ns >= loop->crowded_until_ns;
  if (!promised && !expected) {
    return 0;
  }
  if (loop->linger_ns < 0) {
    loop->linger_ns = nth_wake_latency_ns();
  }
  if (loop->linger_ns == 0) {
    return 0;
  }
  if (expected && loop->registrations.used > 0) {
    /* Among many connections one is ready: no need to ask for the budget, nor to announce a sleep. */
    int32_t count = nth__look(loop, *now_ns, nth__batch_room(&loop->batch));
    if (count < 0 || loop->batch.count > 0) {
      return count;
    }
  }
  int64_t time = expected ? nth__arrivals_linger_ns(&loop->arrivals, loop->linger_ns) : loop->linger_ns;
  int64_t end = time < deadline_ns - *now_ns ? *now_ns + time : deadline_ns;
  promised = promised && nth_linger_acquire(NTH_LINGER_COMPLETION) == 1;
  if (!promised && (!expected || nth_linger_acquire(NTH_LINGER_READINESS) == 0)) {
    return 0;
  }
  int64_t look_interval = expected ? NTH__ARRIVAL_LOOK_INTERVAL_NS : NTH__LINGER_LOOK_INTERVAL_NS;
  int32_t result = linger(loop, now_ns, end, look_interval, promised);
  bool found = loop->batch.count > 0;
  if (promised) {
    nth__linger_credit_note_linger(&loop->credit, found);
  }
  if (expected && !found) {
    nth__arrivals_note_vain_linger(&loop->arrivals);
  }
  nth_linger_release(promised ? NTH_LINGER_COMPLETION : NTH_LINGER_READINESS);
  return result;
}

void nth__linger_note_wait(nth_event_loop_t *loop, int64_t waited_ns, bool slept) {
  int64_t latency = latency_or_longest(loop);
  int64_t gap = slept ? waited_ns - latency : waited_ns;
  nth__arrivals_note(&loop->arrivals, gap < 0 ? 0 : gap, loop->batch.count > 0, latency);
}
