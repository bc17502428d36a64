/* SPDX-License-Identifier: MIT
 *
 * A loop that polls before it sleeps.
 */
#ifndef NTH__EVENT_LOOP_LINGER_H
#define NTH__EVENT_LOOP_LINGER_H

#include "event_loop_state.h"

/* Lingers before a sleep, where flags ask for it and it has paid lately. The batch is empty. Returns -errno or >= 0, and
 * the time in *now_ns if it lingered. */
int32_t nth__linger(nth_event_loop_t *loop, int64_t *now_ns, int64_t deadline_ns, uint32_t flags);

/* A poll that was to linger has ended, whether it did, or slept, or neither. Its batch may be empty. */
void nth__linger_note_wait(nth_event_loop_t *loop, int64_t waited_ns, bool slept);

#endif
