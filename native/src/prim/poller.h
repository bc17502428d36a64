/* SPDX-License-Identifier: MIT
 *
 * The part of the door to the operating system that the event loop needs: readiness, and something to be woken by.
 */
#ifndef NTH__POLLER_H
#define NTH__POLLER_H

#include <stdbool.h>

#include "native_threading.h"

typedef struct nth__poller {
  int32_t readiness; /* an epoll, which an outer loop may wait on */
  int32_t wake;      /* an eventfd in it, readable for as long as a wake is pending */
} nth__poller_t;

/* -EMFILE, -ENFILE, -ENOMEM, or what a filter of system calls answers, as -EPERM. The call that failed is named. */
int nth__poller_open(nth__poller_t *poller, const char **call);
void nth__poller_close(nth__poller_t *poller);

/* Interest is made of NTH_READY_ flags; the token is reported as it is. 0 or -errno. */
int nth__poller_add(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token);
int nth__poller_modify(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token);
int nth__poller_remove(nth__poller_t *poller, int32_t descriptor);

/* A second poller without registrations, with the wake descriptor of the first one. It then either replaces the first
 * one, under its number, or is given up. 0 or -errno. */
int nth__poller_open_another(const nth__poller_t *poller, nth__poller_t *another);
int nth__poller_replace(const nth__poller_t *poller, nth__poller_t *another);
void nth__poller_give_up(nth__poller_t *another);

/* Waits until a descriptor is ready, for at most timeout_ns (negative: indefinitely), which is never rounded down. Writes
 * tokens and flags. Returns their number, 0 also after a signal, or -errno. The wake descriptor is no event, but sets
 * *woken; room must be left for it. */
int32_t nth__poller_wait(
    nth__poller_t *poller, nth_event_t *events, int32_t capacity, int64_t timeout_ns, bool *woken);

/* Makes the wake descriptor readable; any thread. */
void nth__poller_wake(const nth__poller_t *poller);

/* Makes the wake descriptor unreadable. False: it was so already. */
bool nth__poller_drain(nth__poller_t *poller);

#endif
