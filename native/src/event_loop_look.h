/* SPDX-License-Identifier: MIT
 *
 * What a poll and a linger have in common: how something gets into the batch.
 */
#ifndef NTH__EVENT_LOOP_LOOK_H
#define NTH__EVENT_LOOP_LOOK_H

#include "event_loop_state.h"

void nth__report_wake(nth_event_loop_t *loop);

/* Turns what the kernel has written after the batch into events of the batch, in place. */
void nth__accept_ready(nth_event_loop_t *loop, const nth_event_t *ready, int32_t count);

/* Looks at the descriptors without waiting; at most that many events. Their number, or -errno. */
int32_t nth__look(nth_event_loop_t *loop, int64_t now_ns, int32_t most);

#endif
