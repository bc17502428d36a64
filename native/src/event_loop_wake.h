/* SPDX-License-Identifier: MIT
 *
 * The loop thread's half of the wake protocol: event_loop_wake.c.
 */
#ifndef NTH__EVENT_LOOP_WAKE_H
#define NTH__EVENT_LOOP_WAKE_H

#include "event_loop_state.h"

/* Whether nth__wake_take would probably find a wake. Unordered. */
static inline bool nth__wake_pending(const nth_event_loop_t *loop) {
  return (atomic_load_explicit(&loop->word, memory_order_relaxed) & (NTH__LOOP_NOTIFIED | NTH__LOOP_WRITTEN)) != 0;
}

/* Takes a pending wake: true. Then a full fence. */
bool nth__wake_take(nth_event_loop_t *loop);

/* Announces that the loop will sleep. False: a wake is pending, and nothing was announced. */
bool nth__wake_begin_block(nth_event_loop_t *loop);

/* Withdraws the announcement and takes a pending wake: true. readable: the kernel has reported the wake descriptor,
 * which is then read. */
bool nth__wake_end_block(nth_event_loop_t *loop, bool readable);

/* Refuses wakes from now on, and waits until no waker is inside. */
void nth__wake_close(nth_event_loop_t *loop);

#endif
