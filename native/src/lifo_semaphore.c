/* SPDX-License-Identifier: MIT
 *
 * A counting semaphore that wakes the most recently parked thread.
 *
 * State. One word {permits, waiters, LINGERING, LOCKED}, see lifo_semaphore_word.h, and the stack of parked threads,
 * touched only by the thread that set LOCKED. Whenever LOCKED is clear, waiters equals the depth of the stack. Every
 * access that decides anything is one sequentially consistent read-modify-write of the word; a CAS that fails decides
 * anew. There is no other shared variable. So memory order comes down to the order of changes of one word, plus
 * release/acquire on each parker's token.
 *
 * The rule. min(waiters, permits - lingering) waiters are to be woken. The thread that makes that number positive
 * wakes them or leaves them to the thread that holds LOCKED:
 *
 *   step                made by                   afterwards
 *   permits + n         release                   the rule positive, LOCKED clear: claims and sets LOCKED in
 *                                                 the same CAS; LOCKED set: its holder sees the permits
 *   waiters + 1         a waiter, holding LOCKED  its unlock applies the rule
 *   claim k:            the holder of LOCKED      pops k parkers, which own their permit from here on
 *     permits - k,
 *     waiters - k
 *   LOCKED off          its holder, by a CAS from then, without the lock, sets the k tokens (T52)
 *                       a word whose rule is 0
 *   permits - 1         wait, try_wait            the rule can only fall
 *   LINGERING on        a waiter that saw no      the rule is 0 before and after
 *                       permits
 *   LINGERING off,      the lingerer, one CAS     permits - lingering is unchanged
 *     permits - 1
 *   LINGERING off       the lingerer, by a CAS    the rule is 0 before and after (T48)
 *                       from a word without
 *                       permits
 *   waiters - 1         a waiter whose time is    its unlock applies the rule
 *                       over, still stacked,
 *                       holding LOCKED
 *
 * Why no wake is lost. LOCKED is cleared only by a CAS from a word in which the rule is 0. The rule therefore
 * becomes positive, with LOCKED clear, only by a release, whose CAS sets LOCKED in that case: no state of the
 * word has LOCKED clear and a positive rule. A release that finds LOCKED set does nothing else: the CAS that
 * is to clear LOCKED fails or sees the new permits (T14, T15). It never waits for the lock. Each of n permits
 * wakes its own waiter, so that two releases during one wake wake two threads (T56), and n permits with fewer
 * waiters leave the rest in the word (T57).
 *
 * A popped waiter owns its permit whatever its clock says: it consumes the token, however late that comes,
 * and reports success (T12).
 *
 * Barging. The first to come takes a permit that is in the word: wait and try_wait do not queue behind parked threads,
 * and try_wait may take the permit that was left to the lingerer. The lingerer then polls on, and parks when its time
 * is over. That loses no permit, because none is left.
 *
 * Parkers live on the waiter's C stack: setting the token is a waker's last access to a parker
 * (waiter_stack.h), and it reads a parker's link before that.
 */
#include <assert.h>

#include "failpoint.h"
#include "lifo_semaphore_word.h"
#include "linger_credit.h"
#include "native_threading.h"
#include "prim/errors.h"
#include "spin.h"
#include "waiter_stack.h"

struct nth_lifo_semaphore {
  NTH__OWN_LINE _Atomic uint64_t word;
  NTH__OWN_LINE nth__stack_t stack; /* guarded by LOCKED */
  int64_t linger_ns;
  nth__linger_credit_t credit;
};

static uint64_t load(const nth_lifo_semaphore_t *semaphore) {
  return atomic_load_explicit(&semaphore->word, memory_order_relaxed); /* a guess, which exchange checks */
}

static bool exchange(nth_lifo_semaphore_t *semaphore, uint64_t *seen, uint64_t next) {
  return atomic_compare_exchange_weak_explicit(
      &semaphore->word, seen, next, memory_order_seq_cst, memory_order_relaxed);
}

/* Moves the newest count parkers from the stack to the end of a list that runs through older. Holds LOCKED. */
static void pop_to_list(nth_lifo_semaphore_t *semaphore, uint32_t count, nth__parker_t ***end) {
  for (; count > 0; count--) {
    nth__parker_t *parker = nth__pop(&semaphore->stack);
    **end = parker;
    *end = &parker->older;
  }
}

/* Applies the rule until it is 0, clears LOCKED in the very step that sees this, and wakes. seen: the word as the
 * caller left it, without already_claimed waiters, which are still on the stack. The semaphore is not touched after
 * LOCKED is off. */
static void unlock(nth_lifo_semaphore_t *semaphore, uint64_t seen, uint32_t already_claimed) {
  nth__parker_t *first = NULL;
  nth__parker_t **end = &first;
  pop_to_list(semaphore, already_claimed, &end);
  for (;;) {
    assert((seen & NTH__LOCKED) != 0);
    uint32_t count = nth__to_wake(seen);
    if (count > 0) {
      uint64_t claimed = nth__claim(seen, count);
      nth__chaos("unlock of the semaphore, to wake");
      if (exchange(semaphore, &seen, claimed)) {
        seen = claimed;
        pop_to_list(semaphore, count, &end);
      }
    } else {
      nth__failpoint(NTH__AT_SEMAPHORE_UNLOCK);
      if (exchange(semaphore, &seen, seen & ~NTH__LOCKED)) {
        break;
      }
    }
  }
  while (first != NULL) {
    nth__parker_t *parker = first;
    first = parker->older;
    nth__grant(parker);
  }
}

static bool try_take(nth_lifo_semaphore_t *semaphore) {
  uint64_t seen = load(semaphore);
  while (nth__permits(seen) > 0) {
    nth__chaos("nth_lifo_semaphore_wait, permit seen");
    if (exchange(semaphore, &seen, seen - NTH__PERMIT)) {
      return true;
    }
  }
  return false;
}

/* Registers the one lingerer of this semaphore; false if there is one, or no reason to linger. */
static bool begin_linger(nth_lifo_semaphore_t *semaphore) {
  uint64_t seen = load(semaphore);
  while (nth__permits(seen) == 0 && (seen & NTH__LINGERING) == 0) {
    if (exchange(semaphore, &seen, seen | NTH__LINGERING)) {
      nth__failpoint(NTH__AT_SEMAPHORE_LINGER);
      return true;
    }
  }
  return false;
}

/* Polls until there is a permit: true; or the time is over: false. Either way LINGERING is off afterwards. */
static bool poll(nth_lifo_semaphore_t *semaphore, int64_t end_ns) {
  nth__timed_spin_t spin = nth__timed_spin_begin(nth__now_ns());
  for (;;) {
    uint64_t seen = load(semaphore);
    bool found = nth__permits(seen) > 0;
    int64_t now = nth__now_ns();
    if (found || now >= end_ns) {
      nth__failpoint(NTH__AT_SEMAPHORE_LINGER_END);
      uint64_t next = seen - NTH__LINGERING - (found ? NTH__PERMIT : 0);
      if (exchange(semaphore, &seen, next)) {
        return found;
      }
    }
    if (nth__timed_spin_yields(&spin, now)) {
      nth__yield();
    } else {
      nth__pause();
    }
  }
}

/* Lingers where that pays and no other waiter does. True: a permit was taken. The slot is not that of idle workers: a thread that hands an
 * item to a worker that lingers, and then waits for it, would come for the slot at the moment at which the worker returns it. */
static bool linger(nth_lifo_semaphore_t *semaphore, int64_t deadline_ns) {
  if (semaphore->linger_ns == 0 || !nth__linger_credit_any(&semaphore->credit)
      || nth_linger_acquire(NTH_LINGER_WAITER) == 0) {
    return false;
  }
  bool found = false;
  if (begin_linger(semaphore)) {
    int64_t end = nth__deadline(semaphore->linger_ns);
    found = poll(semaphore, end < deadline_ns ? end : deadline_ns);
    nth__linger_credit_note_linger(&semaphore->credit, found);
    nth__failpoint(NTH__AT_SEMAPHORE_LINGERED);
  }
  nth_linger_release(NTH_LINGER_WAITER);
  return found;
}

/* Parks until a permit is granted: true; or until the deadline: false. */
static bool park(nth_lifo_semaphore_t *semaphore, int64_t deadline_ns) {
  nth__parker_t parker = {0};
  nth__lock(&semaphore->word, NTH__LOCKED);
  nth__failpoint(NTH__AT_SEMAPHORE_PUSH);
  nth__push(&semaphore->stack, &parker);
  nth__chaos("nth_lifo_semaphore_wait, pushed");
  uint64_t seen = atomic_fetch_add_explicit(&semaphore->word, NTH__WAITER, memory_order_seq_cst);
  unlock(semaphore, seen + NTH__WAITER, 0); /* may grant a permit to this very parker */

  if (nth__await_token(&parker, deadline_ns)) {
    return true;
  }
  nth__failpoint(NTH__AT_TIMED_OUT);
  nth__lock(&semaphore->word, NTH__LOCKED);
  bool popped = !parker.stacked;
  if (popped) {
    unlock(semaphore, load(semaphore), 0);
    nth__consume_token(&parker); /* T12 */
    return true;
  }
  nth__remove(&semaphore->stack, &parker);
  nth__chaos("nth_lifo_semaphore_wait, removed");
  seen = atomic_fetch_sub_explicit(&semaphore->word, NTH__WAITER, memory_order_seq_cst);
  unlock(semaphore, seen - NTH__WAITER, 0);
  return false;
}

int32_t nth_lifo_semaphore_create(
    int32_t initial_permits, int64_t linger_ns, nth_lifo_semaphore_t **semaphore) {
  if (initial_permits < 0) {
    return -EINVAL;
  }
  nth_lifo_semaphore_t *created = nth__alloc(sizeof *created);
  if (created == NULL) {
    return -ENOMEM;
  }
  atomic_init(&created->word, (uint64_t)initial_permits);
  nth__linger_credit_init(&created->credit);
  created->linger_ns = linger_ns < 0 ? nth_wake_latency_ns() : linger_ns;
  *semaphore = created;
  return 0;
}

void nth_lifo_semaphore_destroy(nth_lifo_semaphore_t *semaphore) {
  assert((load(semaphore) & ~NTH__PERMIT_MASK) == 0);
  nth__free(semaphore);
}

int32_t nth_lifo_semaphore_wait(nth_lifo_semaphore_t *semaphore, int64_t timeout_ns) {
  if (try_take(semaphore)) {
    return 0;
  }
  if (timeout_ns == 0) {
    return -ETIMEDOUT;
  }
  int64_t deadline = nth__deadline(timeout_ns);
  nth__chaos("nth_lifo_semaphore_wait, no permit");
  if (linger(semaphore, deadline) || try_take(semaphore)) {
    return 0;
  }
  int64_t parked_at = semaphore->linger_ns > 0 ? nth__now_ns() : 0;
  if (park(semaphore, deadline)) {
    if (semaphore->linger_ns > 0) {
      nth__linger_credit_note_gap(&semaphore->credit, nth__now_ns() - parked_at, semaphore->linger_ns);
    }
    return 0;
  }
  /* A permit may have come while this thread held the lock in order to leave. It is not left behind. */
  return try_take(semaphore) ? 0 : -ETIMEDOUT;
}

int32_t nth_lifo_semaphore_try_wait(nth_lifo_semaphore_t *semaphore) {
  return try_take(semaphore) ? 0 : -EAGAIN;
}

int32_t nth_lifo_semaphore_release(nth_lifo_semaphore_t *semaphore, int32_t count) {
  if (count < 1) {
    return -EINVAL; /* T66 */
  }
  uint64_t seen = load(semaphore);
  for (;;) {
    if (nth__permits(seen) + (uint32_t)count > (uint32_t)INT32_MAX) {
      return -EOVERFLOW;
    }
    uint64_t next = seen + (uint32_t)count * NTH__PERMIT;
    uint32_t claimed = (seen & NTH__LOCKED) == 0 ? nth__to_wake(next) : 0;
    if (claimed > 0) {
      next = nth__claim(next, claimed) | NTH__LOCKED;
    }
    nth__chaos("nth_lifo_semaphore_release, word read");
    if (exchange(semaphore, &seen, next)) {
      nth__fence_after_rmw();
      nth__chaos("nth_lifo_semaphore_release, added");
      if (claimed > 0) {
        unlock(semaphore, next, claimed);
      }
      return 0;
    }
  }
}

int32_t nth_lifo_semaphore_permits(const nth_lifo_semaphore_t *semaphore) {
  return (int32_t)nth__permits(load(semaphore));
}

int32_t nth_lifo_semaphore_waiters(const nth_lifo_semaphore_t *semaphore) {
  return (int32_t)nth__waiters(load(semaphore));
}
