/* SPDX-License-Identifier: MIT
 *
 * Parkers, the stack of them, and the lock bit.
 */
#include "waiter_stack.h"

#include <assert.h>

#include "failpoint.h"
#include "prim/errors.h"
#include "spin.h"

enum { EMPTY, PARKED, GRANTED };

#if defined(NTH_FAILPOINTS)
void (*_Atomic nth__failpoint_hook)(nth__failpoint_t point);
#endif

void nth__lock(_Atomic uint64_t *word, uint64_t bit) {
  for (unsigned round = 0;; nth__spin_round(&round, NTH__LOCK_ROUNDS, true)) {
    uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
    nth__chaos("nth__lock");
    if ((seen & bit) == 0
        && atomic_compare_exchange_strong_explicit(
            word, &seen, seen | bit, memory_order_seq_cst, memory_order_relaxed)) {
      return;
    }
  }
}

void nth__push(nth__stack_t *stack, nth__parker_t *parker) {
  assert(!parker->stacked);
  /* Relaxed: a waker finds the parker on the stack, so under the lock. */
  atomic_store_explicit(&parker->token, EMPTY, memory_order_relaxed);
  parker->stacked = true;
  parker->newer = parker->is_sentinel ? stack->top : NULL;
  parker->older = parker->newer != NULL ? parker->newer->older : stack->top;
  if (parker->older != NULL) {
    parker->older->newer = parker;
  }
  *(parker->newer != NULL ? &parker->newer->older : &stack->top) = parker;
}

nth__parker_t *nth__pop(nth__stack_t *stack) {
  nth__parker_t *parker = stack->top;
  nth__remove(stack, parker);
  return parker;
}

void nth__remove(nth__stack_t *stack, nth__parker_t *parker) {
  assert(parker != NULL && parker->stacked);
  if (parker->newer != NULL) {
    parker->newer->older = parker->older;
  } else {
    assert(stack->top == parker);
    stack->top = parker->older;
  }
  if (parker->older != NULL) {
    parker->older->newer = parker->newer;
  }
  parker->newer = NULL;
  parker->older = NULL;
  parker->stacked = false;
}

bool nth__grant(nth__parker_t *parker) {
  nth__failpoint(NTH__AT_GRANT);
  /* Release: the woken thread sees what the waker did before; pairs with the acquires below. No acquire is needed. But
   * it must be an exchange: either it reads PARKED, or the CAS that would set PARKED reads it. */
  uint32_t before = atomic_exchange_explicit(&parker->token, GRANTED, memory_order_acq_rel);
  assert(before != GRANTED);
  if (before != PARKED) {
    return false; /* T53 */
  }
  nth__failpoint(NTH__AT_UNPARK);
  nth__unpark(&parker->token); /* the parker may be gone by now; only its address is used */
  return true;
}

bool nth__await_token(nth__parker_t *parker, int64_t deadline_ns) {
  /* Acquire: pairs with the exchange in nth__grant. */
  uint32_t token = EMPTY;
  if (!atomic_compare_exchange_strong_explicit(
          &parker->token, &token, PARKED, memory_order_acq_rel, memory_order_acquire)
      && token == GRANTED) {
    return true;
  }
  nth__chaos("nth__await_token, parked");
  for (;;) {
    nth__failpoint(NTH__AT_PARK);
    int result = nth__park(&parker->token, PARKED, deadline_ns);
    if (atomic_load_explicit(&parker->token, memory_order_acquire) == GRANTED) {
      return true;
    }
    if (result == -ETIMEDOUT) {
      return false;
    }
  }
}

void nth__consume_token(nth__parker_t *parker) {
  /* The popper is between its unlock and its exchange. If it was pre-empted there, parking is cheaper. */
  for (int i = 0; i < NTH__TOKEN_POLLS; i++) {
    if (atomic_load_explicit(&parker->token, memory_order_acquire) == GRANTED) {
      return;
    }
    nth__pause();
  }
  nth__await_token(parker, NTH__FOREVER);
}
