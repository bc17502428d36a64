/* SPDX-License-Identifier: MIT
 *
 * What an event loop consists of.
 */
#ifndef NTH__EVENT_LOOP_STATE_H
#define NTH__EVENT_LOOP_STATE_H

#include "arrivals.h"
#include "event_batch.h"
#include "prim/poller.h"
#include "prim/prim.h"
#include "registrations.h"
#include "timer_heap.h"

/* The state word: event_loop_wake.c. */
enum {
  NTH__LOOP_NOTIFIED = 1 << 0, /* a wake that no poll has reported */
  NTH__LOOP_BLOCKED = 1 << 1,  /* the loop sleeps in the kernel, or is about to */
  NTH__LOOP_WRITTEN = 1 << 2,  /* one write to the wake descriptor is under way, or not yet read */
  NTH__LOOP_CLOSED = 1 << 3,
  NTH__LOOP_SENDER = 1 << 4, /* and up: wakers that may touch the wake descriptor */
};

struct nth_event_loop {
  NTH__OWN_LINE _Atomic uint32_t word; /* written by wakers: alone on its line */
  NTH__OWN_LINE nth__poller_t poller;
  _Atomic int64_t writes;

  /* From here on only the loop's thread writes; others read the counters. */
  NTH__OWN_LINE nth__batch_t batch;
  nth__timer_heap_t timers;
  nth__registrations_t registrations;
  int64_t last_look_ns;
  int32_t polls_since_look;
  bool closed;
  nth__arrivals_t arrivals;
  int64_t crowded_until_ns; /* no linger for arrivals before */
  int64_t linger_ns; /* the wake latency; negative: not yet known */
  _Atomic int64_t waits;
  _Atomic int64_t controls;
  _Atomic int64_t reads;
  _Atomic int64_t lingers;
  _Atomic int64_t looks;
};

/* For counters with one writer. */
static inline void nth__count(_Atomic int64_t *counter) {
  int64_t count = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, count + 1, memory_order_relaxed);
}

#endif
