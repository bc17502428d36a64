/* SPDX-License-Identifier: MIT
 *
 * The worker signal: a stack of idle workers and at most one outstanding request for one of them.
 *
 * State. One word, laid out in native_threading.h, and the stack of announced workers, touched only by the
 * thread that set LOCKED. Producers read the word with a plain load after a full fence and come here only for
 * a real request. Each step is one sequentially consistent read-modify-write of the word; every CAS here
 * keeps the bits it does not own, because managed code changes some of them at any time, LOCKED or not.
 *
 *   step         by        from                      to
 *   request      producer  REQUESTED or LINGERING    unchanged, by a CAS all the same: a full fence
 *                (native)  idle > 0                  REQUESTED, WAKE_OWED, LOCKED, stamp; the requester
 *                                                    unlocks, if LOCKED was clear
 *                          idle = 0, GROWABLE        REQUESTED, stamp; the caller starts a thread
 *                          otherwise                 unchanged, as above
 *   unlock       holder    WAKE_OWED clear           LOCKED off
 *                (native)  WAKE_OWED set             WAKE_OWED off, LOCKED off, idle - 1, SENTINEL off if
 *                                                    the popped worker was it; then its token is set
 *   announce     worker    LOCKED held, pushed       idle + 1, SENTINEL if asked for, and in the same step
 *                (native)                            as unlock
 *   withdraw,    worker    LOCKED held, removed,     idle - 1, LOCKED off, SENTINEL off if it was the sentinel
 *   timeout      (native)    WAKE_OWED clear
 *                          LOCKED held, removed,     the same, and WAKE_OWED off: this worker is the
 *                            WAKE_OWED set             chosen one
 *                          LOCKED held, was popped   as unlock; the worker waits for its token and is chosen
 *   acknowledge  chosen    any                       REQUESTED off, before its first scan (T55)
 *                (managed)
 *   repair       watchdog  REQUESTED, old stamp      REQUESTED off; a new request follows
 *                (managed)
 *   linger       worker    LINGERING clear           LINGERING on
 *                (managed) LINGERING set             LINGERING off, before its next scan (T48)
 *   throttle     worker    SENTINEL                  LINGERING on or kept, while it runs items
 *                (managed) LINGERING set             LINGERING off, by that worker as above, or by the
 *                                                    sentinel, before its next scan
 *   growable     pool      any                       GROWABLE on or off
 *                (managed)
 *   monitor      producer  UNMONITORED               UNMONITORED off; the thread that cleared it starts the monitor
 *                (managed)
 *                monitor   UNMONITORED clear         UNMONITORED on, before its last look
 *                (managed)
 *
 * Invariants.
 *   1. With LOCKED clear, idle is the depth of the stack. With LOCKED set, the stack holds at least idle
 *      workers for its holder to pop: a push comes before its count, and a removal comes with its count in
 *      the same hold.
 *   2. WAKE_OWED implies idle > 0: it is set only by a CAS from a word with idle > 0, and every step that
 *      lowers idle clears it, or is a CAS from a word without it. So the stack is never empty when a wake
 *      is owed.
 *   3. WAKE_OWED implies LOCKED: the thread that sets it sets LOCKED as well or finds it set, and every CAS that
 *      clears LOCKED clears it. So the holder pays, no thread waits for a later call, and a request never
 *      waits for the lock (T14, T15).
 *   4. Each WAKE_OWED that is cleared has made one worker the chosen one, and a chosen worker learns of it
 *      however its call ends (T12, T16): a request once counted reaches a worker. A worker that gives up
 *      while a wake is owed takes it, although it may not be the most recent one: it is awake, so that no
 *      system call is needed.
 *   5. Hence at quiescence REQUESTED, LOCKED and WAKE_OWED are clear and idle is the number of parked
 *      workers (T6).
 *
 * Why no item is stranded. A producer publishes its item, passes a full fence and reads the word, or changes
 * it here; an idle worker announces itself, passes a full fence and scans. In the order of changes of the
 * word either the announcement is first, and the producer sees idle > 0 and makes the request unless one is
 * outstanding; or the producer is first, and the worker's scan sees the item. An outstanding request
 * suppresses others until the chosen worker clears REQUESTED, which is a full fence and comes before its
 * scan: the scan sees what was published before a producer read REQUESTED. The same holds for LINGERING.
 *
 * What the caller must promise: a worker's functions are called by one thread at a time; it scans after
 * announcing and before parking; a chosen worker acknowledges before it scans; NTH_REQUEST_START_THREAD leads
 * to a thread that does the same, or to a repair.
 */
#include <assert.h>

#include "failpoint.h"
#include "native_threading.h"
#include "prim/errors.h"
#include "waiter_stack.h"

#define IDLE_ONE ((uint64_t)1 << NTH_SIGNAL_IDLE_SHIFT)
#define IDLE_MASK ((uint64_t)UINT16_MAX << NTH_SIGNAL_IDLE_SHIFT)
#define STAMP_MASK ((uint64_t)UINT32_MAX << NTH_SIGNAL_STAMP_SHIFT)
#define FLAG(name) ((uint64_t)NTH_SIGNAL_##name)

/* T20: the fields fill the word from bit 16 on and stay clear of the flags. */
_Static_assert(NTH_SIGNAL_IDLE_SHIFT + 16 == NTH_SIGNAL_STAMP_SHIFT, "idle");
_Static_assert(NTH_SIGNAL_STAMP_SHIFT + 32 == 64, "stamp");
_Static_assert(NTH_SIGNAL_WAKE_OWED < 1 << NTH_SIGNAL_IDLE_SHIFT, "flags");

struct nth_worker_signal {
  NTH__OWN_LINE _Atomic uint64_t word;
  NTH__OWN_LINE nth__stack_t stack; /* guarded by LOCKED */
  _Atomic int64_t wakes;
  _Atomic uint32_t workers;         /* at most UINT16_MAX, so that idle cannot overflow */
};

struct nth_worker {
  nth__parker_t parker;
  nth_worker_signal_t *signal;
  bool announced; /* for assertions; the worker's own */
};

static uint64_t load(nth_worker_signal_t *signal) {
  return atomic_load_explicit(&signal->word, memory_order_relaxed); /* only ever a guess for exchange */
}

static bool exchange(nth_worker_signal_t *signal, uint64_t *seen, uint64_t next) {
  return atomic_compare_exchange_weak_explicit(
      &signal->word, seen, next, memory_order_seq_cst, memory_order_relaxed);
}

static void lock(nth_worker_signal_t *signal) {
  nth__lock(&signal->word, FLAG(LOCKED));
}

/* Counts a popped or removed worker off. */
static uint64_t without(uint64_t word, const nth__parker_t *parker) {
  assert((word & IDLE_MASK) != 0); /* T24 */
  assert(!parker->is_sentinel || (word & FLAG(SENTINEL)) != 0);
  return (word - IDLE_ONE) & ~(parker->is_sentinel ? FLAG(SENTINEL) : 0);
}

/* Clears LOCKED, adding what the caller has done under it, and pays a wake that is owed: after the unlock
 * (T52). */
static void unlock(nth_worker_signal_t *signal, uint64_t idle_added, uint64_t flags_added) {
  nth__parker_t *chosen = NULL;
  uint64_t seen = load(signal);
  for (;;) {
    assert((seen & FLAG(LOCKED)) != 0);
    uint64_t next = ((seen + idle_added) | flags_added) & ~FLAG(LOCKED);
    if ((seen & FLAG(WAKE_OWED)) != 0) { /* only this thread clears it: what was popped stays popped */
      if (chosen == NULL) {
        chosen = nth__pop(&signal->stack);
        nth__chaos("unlock of the signal, popped");
      }
      next = without(next, chosen) & ~FLAG(WAKE_OWED);
    }
    nth__failpoint(NTH__AT_SIGNAL_UNLOCK);
    if (exchange(signal, &seen, next)) {
      break;
    }
  }
  /* The signal outlives its workers, hence this access. */
  if (chosen != NULL && nth__grant(chosen)) {
    atomic_fetch_add_explicit(&signal->wakes, 1, memory_order_relaxed);
  }
}

int32_t nth_worker_signal_request(nth_worker_signal_t *signal, uint32_t now_ms) {
  uint64_t seen = load(signal);
  for (;;) {
    nth__chaos("nth_worker_signal_request, word read");
    int32_t outcome = NTH_REQUEST_NOT_NEEDED;
    uint64_t next = seen;
    uint64_t stamped = (seen & ~STAMP_MASK) | (uint64_t)now_ms << NTH_SIGNAL_STAMP_SHIFT | FLAG(REQUESTED);
    if ((seen & (FLAG(REQUESTED) | FLAG(LINGERING))) != 0) {
      /* The thread that clears the bit scans afterwards. */
    } else if ((seen & IDLE_MASK) != 0) {
      outcome = NTH_REQUEST_WOKE;
      next = stamped | FLAG(WAKE_OWED) | FLAG(LOCKED);
    } else if ((seen & FLAG(GROWABLE)) != 0) {
      outcome = NTH_REQUEST_START_THREAD;
      next = stamped;
    }
    if (exchange(signal, &seen, next)) {
      nth__fence_after_rmw();
      nth__chaos("nth_worker_signal_request, requested");
      if (outcome == NTH_REQUEST_WOKE && (seen & FLAG(LOCKED)) == 0) {
        unlock(signal, 0, 0);
      }
      return outcome;
    }
  }
}

int32_t nth_worker_announce_idle(nth_worker_t *worker, uint32_t flags) {
  nth_worker_signal_t *signal = worker->signal;
  bool as_sentinel = (flags & NTH_ANNOUNCE_SENTINEL) != 0;
  assert(!worker->announced);
  nth__chaos("nth_worker_announce_idle");
  if (as_sentinel && (load(signal) & FLAG(SENTINEL)) != 0) {
    return -EBUSY;
  }
  lock(signal);
  if (as_sentinel && (load(signal) & FLAG(SENTINEL)) != 0) { /* set and cleared under the lock only */
    unlock(signal, 0, 0);
    return -EBUSY;
  }
  nth__failpoint(NTH__AT_SIGNAL_PUSH);
  worker->announced = true;
  worker->parker.is_sentinel = as_sentinel;
  nth__push(&signal->stack, &worker->parker);
  nth__chaos("nth_worker_announce_idle, pushed");
  unlock(signal, IDLE_ONE, as_sentinel ? FLAG(SENTINEL) : 0); /* may choose this very worker */
  nth__fence_after_rmw();
  return 0;
}

int32_t nth_worker_withdraw(nth_worker_t *worker) {
  nth_worker_signal_t *signal = worker->signal;
  assert(worker->announced);
  worker->announced = false;
  nth__chaos("nth_worker_withdraw");
  lock(signal);
  if (!worker->parker.stacked) {
    unlock(signal, 0, 0);
    nth__chaos("nth_worker_withdraw, was popped");
    nth__consume_token(&worker->parker); /* T12 */
    return NTH_PARK_CHOSEN;
  }
  nth__failpoint(NTH__AT_SIGNAL_WITHDRAW);
  nth__remove(&signal->stack, &worker->parker);
  uint64_t seen = load(signal);
  nth__chaos("nth_worker_withdraw, removed");
  while (!exchange(signal, &seen, without(seen, &worker->parker) & ~(FLAG(WAKE_OWED) | FLAG(LOCKED)))) {
  }
  nth__fence_after_rmw();
  return (seen & FLAG(WAKE_OWED)) != 0 ? NTH_PARK_CHOSEN : NTH_PARK_TIMED_OUT;
}

int32_t nth_worker_park(nth_worker_t *worker, int64_t timeout_ns) {
  assert(worker->announced);
  nth__chaos("nth_worker_park");
  if (nth__await_token(&worker->parker, nth__deadline(timeout_ns))) {
    worker->announced = false;
    return NTH_PARK_CHOSEN;
  }
  nth__failpoint(NTH__AT_TIMED_OUT);
  return nth_worker_withdraw(worker);
}

int32_t nth_worker_signal_create(nth_worker_signal_t **signal) {
  nth_worker_signal_t *created = nth__alloc(sizeof *created);
  if (created == NULL) {
    return -ENOMEM;
  }
  *signal = created;
  return 0;
}

uint64_t *nth_worker_signal_word(nth_worker_signal_t *signal) {
  _Static_assert(sizeof(_Atomic uint64_t) == sizeof(uint64_t), "managed code sees a plain 64-bit word");
  return (uint64_t *)&signal->word;
}

int64_t nth_worker_signal_wakes(const nth_worker_signal_t *signal) {
  return atomic_load_explicit(&signal->wakes, memory_order_relaxed);
}

void nth_worker_signal_destroy(nth_worker_signal_t *signal) {
  assert(signal->stack.top == NULL);
  assert(atomic_load_explicit(&signal->workers, memory_order_relaxed) == 0);
  nth__free(signal);
}

int32_t nth_worker_create(nth_worker_signal_t *signal, nth_worker_t **worker) {
  nth_worker_t *created = nth__alloc(sizeof *created);
  if (created == NULL) {
    return -ENOMEM;
  }
  if (atomic_fetch_add_explicit(&signal->workers, 1, memory_order_relaxed) >= UINT16_MAX) {
    atomic_fetch_sub_explicit(&signal->workers, 1, memory_order_relaxed);
    nth__free(created);
    return -EOVERFLOW;
  }
  created->signal = signal;
  *worker = created;
  return 0;
}

void nth_worker_destroy(nth_worker_t *worker) {
  assert(!worker->announced);
  atomic_fetch_sub_explicit(&worker->signal->workers, 1, memory_order_relaxed);
  nth__free(worker);
}

/* The version handshake (T93), next to the word whose layout it stands for. */
int32_t nth_abi_version(void) {
  return NTH_ABI_VERSION;
}
