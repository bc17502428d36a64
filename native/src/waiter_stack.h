/* SPDX-License-Identifier: MIT
 *
 * What the semaphore and the worker signal share: the parker, where one thread parks, and the LIFO stack of them.
 * A stack is guarded by a lock bit inside its owner's state word; it has no lock of its own.
 */
#ifndef NTH__WAITER_STACK_H
#define NTH__WAITER_STACK_H

#include "prim/prim.h"

/* Where one thread parks, once at a time.
 *
 * The token goes EMPTY -> PARKED -> GRANTED; or EMPTY -> GRANTED if the thread has not parked yet, and then no system
 * call is needed. Setting GRANTED is the waker's last access to the parker. After it the owner may free the parker, which
 * may therefore live on the owner's C stack. The kernel is still passed its address, and does not read what is there. */
typedef struct nth__parker {
  NTH__OWN_LINE _Atomic uint32_t token;
  NTH__OWN_LINE struct nth__parker *newer; /* the links and the flags are guarded by the lock bit */
  struct nth__parker *older;
  bool stacked;
  bool is_sentinel;
} nth__parker_t;

typedef struct nth__stack {
  nth__parker_t *top;
} nth__stack_t;

/* ---- Under the lock bit -------------------------------------------------------------------------------- */

/* Sets the bit, which must be clear before: acquire, pairs with the release that clears it. Pauses, then
 * yields (T31, T60); for threads on the way to park, never for those that wake. */
void nth__lock(_Atomic uint64_t *word, uint64_t bit);

/* Empties the token and puts the parker on top; a sentinel below the top, because it is to stay parked. */
void nth__push(nth__stack_t *stack, nth__parker_t *parker);

/* Takes the top off; the stack is not empty. */
nth__parker_t *nth__pop(nth__stack_t *stack);

/* Takes a parker off wherever it is on the stack. */
void nth__remove(nth__stack_t *stack, nth__parker_t *parker);

/* ---- Without the lock (T52) ---------------------------------------------------------------------------- */

/* Sets the token of a popped parker and wakes its thread. True if that took a system call. */
bool nth__grant(nth__parker_t *parker);

/* Parks until the token is set: true; or until the deadline: false. */
bool nth__await_token(nth__parker_t *parker, int64_t deadline_ns);

/* For a thread that gave up and then found itself popped: its token will be set, and must be consumed (T12). */
void nth__consume_token(nth__parker_t *parker);

#endif
