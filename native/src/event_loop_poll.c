/* SPDX-License-Identifier: MIT
 *
 * One poll of an event loop.
 *
 * Order. A pending wake first, then one look at the descriptors or one sleep, then the timers due. All events are in
 * the caller's array before the caller runs. So a timer armed from its own callback, or a wake from the loop itself,
 * waits for the next poll, and each poll ends (T74).
 *
 * Looks. A look at the descriptors costs more than a timer (146 ns against some 40). So a poll that has events anyway
 * may leave it out, but never for longer than NTH__LOOK_INTERVAL_NS, nor in more than NTH__POLLS_WITHOUT_LOOK polls in
 * a row, nor if the caller has promised a check. A loop without descriptors never checks. A check with due timers may fill half of the array; the timers have
 * the rest (T74).
 *
 * Time. The clock is read when the poll begins and after each sleep, never kept over the caller's code (T77).
 * A sleep that ends before its deadline, by a signal or by a wake that was reported before, continues (T78).
 */
#include "chaos.h"
#include "event_loop_linger.h"
#include "event_loop_look.h"
#include "event_loop_state.h"
#include "event_loop_wake.h"
#include "prim/errors.h"

static bool look_is_due(nth_event_loop_t *loop, int64_t now_ns) {
  return loop->registrations.used > 0
         && (loop->polls_since_look++ >= NTH__POLLS_WITHOUT_LOOK
             || now_ns - loop->last_look_ns >= NTH__LOOK_INTERVAL_NS);
}

static int32_t sleep_once(nth_event_loop_t *loop, int64_t timeout_ns) {
  if (!nth__wake_begin_block(loop)) {
    if (nth__wake_take(loop)) {
      nth__report_wake(loop);
    }
    return 0;
  }
  /* The first entry is for a wake; nth__accept_ready moves the others up if there is none. */
  nth_event_t *ready = loop->batch.events + 1;
  bool readable = false;
  nth__count(&loop->waits);
  int32_t count = nth__poller_wait(&loop->poller, ready, loop->batch.capacity - 1, timeout_ns, &readable);
  nth__chaos("nth_event_loop_poll, awake");
  if (nth__wake_end_block(loop, readable)) {
    nth__report_wake(loop);
  }
  if (count > 0) {
    nth__accept_ready(loop, ready, count);
  }
  return count;
}

/* Blocks until there is an event, a timer is due or the time is over. The batch is empty. */
static int32_t sleep_until(nth_event_loop_t *loop, int64_t *now_ns, int64_t give_up_ns, uint32_t flags) {
  int64_t timer_ns = nth__timers_next(&loop->timers); /* no other thread arms (T69) */
  int64_t deadline = timer_ns < give_up_ns ? timer_ns : give_up_ns;
  int64_t began = *now_ns;
  int32_t result = nth__linger(loop, now_ns, deadline, flags);
  bool slept = false;
  while (result >= 0 && loop->batch.count == 0 && *now_ns < deadline) {
    result = sleep_once(loop, deadline == NTH__FOREVER ? -1 : deadline - *now_ns);
    *now_ns = nth__now_ns();
    slept = true;
  }
  loop->last_look_ns = *now_ns;
  loop->polls_since_look = 0;
  if ((flags & NTH_POLL_LINGER) != 0) {
    nth__linger_note_wait(loop, *now_ns - began, slept);
  }
  return result;
}

int32_t nth_event_loop_poll(
    nth_event_loop_t *loop, nth_event_t *events, int32_t capacity, int64_t timeout_ns, uint32_t flags) {
  if (capacity < NTH_POLL_MIN_EVENTS) {
    return -EINVAL;
  }
  if (loop->closed) {
    return -ESHUTDOWN;
  }
  nth__batch_t *batch = &loop->batch;
  batch->events = events;
  batch->capacity = capacity;
  batch->count = 0;
  batch->number++;
  if (nth__wake_take(loop)) {
    nth__report_wake(loop);
  }

  nth__chaos("nth_event_loop_poll, wake taken");
  bool waits = timeout_ns != 0 && batch->count == 0;
  bool descriptors = loop->registrations.used > 0;
  if (!waits && !descriptors && loop->timers.armed == 0) {
    return batch->count; /* no clock is needed */
  }
  int64_t now = nth__now_ns();
  bool due = nth__timers_next(&loop->timers) <= now;
  int32_t result = 0;
  if (waits && !due) {
    int64_t give_up = timeout_ns < 0 || timeout_ns >= NTH__FOREVER - now ? NTH__FOREVER : now + timeout_ns;
    result = sleep_until(loop, &now, give_up, flags);
  } else if (
      descriptors && ((flags & NTH_POLL_LOOK) != 0 || (batch->count == 0 && !due) || look_is_due(loop, now))) {
    result = nth__look(loop, now, due ? capacity / 2 : nth__batch_room(batch));
  }
  nth__timers_take_due(&loop->timers, now, batch);
  return result < 0 && batch->count == 0 ? result : batch->count;
}
