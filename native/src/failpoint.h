/* SPDX-License-Identifier: MIT
 *
 * Named points at which a test can hold a thread. Compiled only into the library for tests. Elsewhere the macro is
 * empty, or a point of hostile schedules (chaos.h) where those are compiled in.
 */
#ifndef NTH__FAILPOINT_H
#define NTH__FAILPOINT_H

#include "chaos.h"

typedef enum nth__failpoint {
  NTH__AT_GRANT,                 /* popped and unlocked, the token not yet set (T12) */
  NTH__AT_UNPARK,                /* the token set, the system call not yet made */
  NTH__AT_PARK,                  /* about to enter the kernel */
  NTH__AT_TIMED_OUT,             /* the deadline has passed, the stack not yet locked (T12, T16) */
  NTH__AT_SEMAPHORE_PUSH,        /* locked, neither pushed nor counted (T14) */
  NTH__AT_SEMAPHORE_UNLOCK,      /* locked, the rule found satisfied, LOCKED still set (T15) */
  NTH__AT_SEMAPHORE_LINGER,      /* LINGERING has been set */
  NTH__AT_SEMAPHORE_LINGER_END,  /* LINGERING is about to be cleared (T48) */
  NTH__AT_SEMAPHORE_LINGERED,    /* LINGERING has been cleared, the budget not yet given back */
  NTH__AT_SIGNAL_PUSH,           /* locked, neither pushed nor counted (T14) */
  NTH__AT_SIGNAL_UNLOCK,         /* locked, the word to be left behind computed (T15) */
  NTH__AT_SIGNAL_WITHDRAW,       /* locked by the worker that leaves, still on the stack (T16) */
  NTH__AT_LOOP_RESET,            /* NOTIFIED has been cleared, the poll has not returned (T71) */
  NTH__AT_LOOP_SLEEP,            /* nothing to do was found, BLOCKED not yet set (T71) */
  NTH__AT_LOOP_BLOCK,            /* BLOCKED has been set, the kernel not yet entered (T71) */
  NTH__AT_LOOP_LINGER,           /* the loop lingers (T48) */
  NTH__AT_LOOP_WRITE,            /* a waker counts as inside, the descriptor not yet written (T72) */
  NTH__FAILPOINTS /* how many there are */
} nth__failpoint_t;

#if defined(NTH_FAILPOINTS)
#include <stdatomic.h>
#include <stddef.h>

extern void (*_Atomic nth__failpoint_hook)(nth__failpoint_t point);

static inline void nth__call_failpoint_hook(nth__failpoint_t point) {
  void (*hook)(nth__failpoint_t) = atomic_load_explicit(&nth__failpoint_hook, memory_order_acquire);
  if (hook != NULL) {
    hook(point);
  }
}
#else
#define nth__call_failpoint_hook(point) ((void)0)
#endif

#define nth__failpoint(point)        \
  do {                               \
    nth__chaos(#point);              \
    nth__call_failpoint_hook(point); \
  } while (0)

#endif
