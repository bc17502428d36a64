/* SPDX-License-Identifier: MIT
 *
 * Registrations that only the kernel has: event_loop_renew.c.
 */
#ifndef NTH__EVENT_LOOP_RENEW_H
#define NTH__EVENT_LOOP_RENEW_H

#include "event_loop_state.h"

/* The kernel has reported a registration that has ended: makes it forget all that are not registered. */
void nth__renew_poller(nth_event_loop_t *loop);

#endif
