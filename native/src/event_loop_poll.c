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
 * a row, nor where the caller has promised somebody a look. A loop without descriptors never looks. A look beside due timers may fill half of the array; the timers have
 * the rest (T74).
 *
 * Time. The clock is read when the poll begins and after each sleep, never kept over the caller's code (T77).
 * A sleep that ends before its deadline, by a signal or by a wake that was reported before, goes on (T78).
 */
#include "event_loop_renew.h"
#include "event_loop_state.h"
#include "event_loop_wake.h"
#include "failpoint.h"
#include "prim/errors.h"
#include "spin.h"

static void report_wake(nth_event_loop_t *loop) {
  nth__batch_entry_t unused;
  nth__batch_append(&loop->batch, &unused, 0, NTH_EVENT_WAKE, 0);
}

/* Turns what the kernel has written behind the batch into events of the batch, in place. An event of a registration
 * that has ended is dropped, and the poller renewed: else the kernel would report it again and again. */
static void accept_ready(nth_event_loop_t *loop, const nth_event_t *ready, int32_t count) {
  bool unknown = false;
  for (int32_t i = 0; i < count; i++) {
    nth_event_t event = ready[i];
    nth__registration_t *row = nth__registration_find(&loop->registrations, (int64_t)event.token);
    if (row != NULL) {
      nth__batch_append(&loop->batch, &row->entry, row->token, NTH_EVENT_READY, event.flags);
    } else {
      unknown = true;
    }
  }
  if (unknown) {
    nth__renew_poller(loop);
  }
}

/* Looks at the descriptors without waiting; at most that many events. */
static int32_t look(nth_event_loop_t *loop, int64_t now_ns, int32_t most) {
  loop->last_look_ns = now_ns;
  loop->polls_since_look = 0;
  nth_event_t *ready = loop->batch.events + loop->batch.count;
  bool readable; /* WRITTEN is set then, and the next poll reads it */
  nth__count(&loop->waits);
  int32_t count = nth__poller_wait(&loop->poller, ready, most, 0, &readable);
  if (count > 0) {
    accept_ready(loop, ready, count);
  }
  return count;
}

static bool look_is_due(nth_event_loop_t *loop, int64_t now_ns) {
  return loop->registrations.used > 0
         && (loop->polls_since_look++ >= NTH__POLLS_WITHOUT_LOOK
             || now_ns - loop->last_look_ns >= NTH__LOOK_INTERVAL_NS);
}

static bool begin_linger(nth_event_loop_t *loop) {
  if (loop->linger_ns < 0) {
    loop->linger_ns = nth_wake_latency_ns();
  }
  return loop->linger_ns > 0 && nth__linger_credit_any(&loop->credit)
         && nth_linger_acquire(NTH_LINGER_COMPLETION) == 1;
}

/* Lingers: polls the word, and now and then the kernel, for about as long as a wake takes. BLOCKED stays clear, so
 * wakers make no system call. Returns -errno or >= 0, and the time in *now_ns. */
static int32_t linger(nth_event_loop_t *loop, int64_t *now_ns, int64_t deadline_ns) {
  nth__count(&loop->lingers);
  nth__failpoint(NTH__AT_LOOP_LINGER);
  int64_t end = *now_ns + loop->linger_ns, next_look = *now_ns;
  nth__timed_spin_t spin = nth__timed_spin_begin(*now_ns, NTH__CROWDED_FOR_EVER);
  int32_t result = 0;
  while (result >= 0 && loop->batch.count == 0 && *now_ns < end && *now_ns < deadline_ns) {
    if (loop->registrations.used > 0 && *now_ns >= next_look) {
      next_look = *now_ns + NTH__LINGER_LOOK_INTERVAL_NS;
      result = look(loop, *now_ns, nth__batch_room(&loop->batch));
    }
    if (nth__timed_spin_yields(&spin, *now_ns)) {
      nth__yield(); /* half a microsecond, unless somebody takes the CPU (T49) */
    }
    for (int i = 0; i < NTH__PAUSES_BETWEEN_CLOCK_READS && !nth__wake_pending(loop); i++) {
      nth__pause();
    }
    if (loop->batch.count == 0 && nth__wake_take(loop)) {
      report_wake(loop);
    }
    *now_ns = nth__now_ns();
  }
  nth__linger_credit_note_linger(&loop->credit, loop->batch.count > 0);
  nth_linger_release(NTH_LINGER_COMPLETION);
  return result;
}

static int32_t sleep_once(nth_event_loop_t *loop, int64_t timeout_ns) {
  if (!nth__wake_begin_block(loop)) {
    if (nth__wake_take(loop)) {
      report_wake(loop);
    }
    return 0;
  }
  /* The first entry is for a wake; accept_ready moves the others up if there is none. */
  nth_event_t *ready = loop->batch.events + 1;
  bool readable = false;
  nth__count(&loop->waits);
  int32_t count = nth__poller_wait(&loop->poller, ready, loop->batch.capacity - 1, timeout_ns, &readable);
  nth__chaos("nth_event_loop_poll, awake");
  if (nth__wake_end_block(loop, readable)) {
    report_wake(loop);
  }
  if (count > 0) {
    accept_ready(loop, ready, count);
  }
  return count;
}

/* Blocks until there is an event, a timer is due or the time is over. The batch is empty. */
static int32_t sleep_until(nth_event_loop_t *loop, int64_t *now_ns, int64_t give_up_ns, bool outstanding) {
  int64_t timer_ns = nth__timers_next(&loop->timers); /* nobody else arms (T69) */
  int64_t deadline = timer_ns < give_up_ns ? timer_ns : give_up_ns;
  int32_t result = 0;
  if (outstanding && begin_linger(loop)) {
    result = linger(loop, now_ns, deadline);
  }
  int64_t from = *now_ns;
  bool slept = false;
  while (result >= 0 && loop->batch.count == 0 && *now_ns < deadline) {
    result = sleep_once(loop, deadline == NTH__FOREVER ? -1 : deadline - *now_ns);
    *now_ns = nth__now_ns();
    slept = true;
  }
  loop->last_look_ns = *now_ns;
  loop->polls_since_look = 0;
  if (slept && outstanding && loop->batch.count > 0) {
    nth__linger_credit_note_gap(&loop->credit, *now_ns - from, loop->linger_ns);
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
    report_wake(loop);
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
    result = sleep_until(loop, &now, give_up, (flags & NTH_POLL_OUTSTANDING) != 0);
  } else if (
      descriptors && ((flags & NTH_POLL_LOOK) != 0 || (batch->count == 0 && !due) || look_is_due(loop, now))) {
    result = look(loop, now, due ? capacity / 2 : nth__batch_room(batch));
  }
  nth__timers_take_due(&loop->timers, now, batch);
  return result < 0 && batch->count == 0 ? result : batch->count;
}
