/* SPDX-License-Identifier: MIT
 *
 * Waking an event loop.
 *
 * State. One word: NOTIFIED, BLOCKED, WRITTEN, CLOSED, and the number of wakers that are between their step and
 * the end of their system call. Each step is one sequentially consistent read-modify-write.
 *
 *   step      by      from                       to
 *   wake      anyone  CLOSED                     unchanged; refused
 *                     BLOCKED set, NOTIFIED and  NOTIFIED, WRITTEN, sender + 1; then the descriptor is written,
 *                       WRITTEN clear            then sender - 1
 *                     otherwise                  NOTIFIED, by a CAS even if it is set: a full fence
 *   take      loop    NOTIFIED or WRITTEN        NOTIFIED off, and WRITTEN off if the descriptor could be read
 *   block     loop    NOTIFIED clear             BLOCKED; then the kernel is entered
 *                     NOTIFIED set               unchanged; the loop does not block
 *   unblock   loop    any                        BLOCKED, NOTIFIED off, and WRITTEN off if the kernel reported the
 *                                                descriptor, which was read before
 *   close     loop    BLOCKED clear              CLOSED; then waits until there are no senders
 *
 * With NTH_WAKE_KERNEL the second row of "wake" asks for nothing but WRITTEN clear.
 *
 * Which wakes cost a system call. Only the step from not NOTIFIED, and only while BLOCKED is set: while the loop runs
 * its caller's code, or lingers, BLOCKED is clear. The loop's own thread is not blocked when it wakes itself, so it
 * needs no case of its own.
 *
 * Invariant. While WRITTEN is set, the descriptor is readable or its one writer is about to write. While it is clear,
 * neither holds. The writer sets it before it writes; the loop clears it after it has read. A read that comes before
 * the write finds nothing and leaves WRITTEN to the next poll.
 *
 * Why no wake is lost. A waker publishes (in a queue of the caller's) and then takes its step. In the order of changes
 * of the word that step comes before the block step or after it. Before: the block step finds NOTIFIED set and does not
 * block. After: by the invariant the descriptor, which is level-triggered, is or becomes readable, and the kernel
 * returns, whether the write comes before or after the loop has entered it. A poll clears NOTIFIED before it returns
 * and reports the wake. So what the caller then reads from its queue includes all that was published before a step that
 * found NOTIFIED set (T71). Between the read and the clearing of WRITTEN wakers do not write. They need not: the
 * clearing takes their NOTIFIED as well, in the same step.
 *
 * A writer may be late: something else wakes the loop, which takes the NOTIFIED, and the write ends a later sleep. The
 * loop reads it and sleeps on. There are at most as many of these as writes.
 *
 * Closing (T72). A waker may touch the descriptor only while it is counted, and it is counted by the step that
 * finds CLOSED clear. So when CLOSED is set and no sender is left, no thread touches the descriptor any more.
 * Senders are inside for one non-blocking system call. The memory of the word outlives the close, up to destroy.
 *
 * What the caller must promise: one thread polls, closes and destroys; no thread calls when destroy has started.
 */
#include "event_loop_wake.h"

#include <assert.h>

#include "failpoint.h"
#include "prim/errors.h"
#include "spin.h"

static const uint32_t notified = NTH__LOOP_NOTIFIED, blocked = NTH__LOOP_BLOCKED, written = NTH__LOOP_WRITTEN,
                      closed = NTH__LOOP_CLOSED, sender = NTH__LOOP_SENDER;

int32_t nth_event_loop_wake(nth_event_loop_t *loop, uint32_t flags) {
  /* Relaxed: a guess, which the CAS checks. CLOSED is never cleared, so an old value of it is true. */
  uint32_t seen = atomic_load_explicit(&loop->word, memory_order_relaxed);
  bool enter;
  uint32_t next;
  do {
    nth__chaos("nth_event_loop_wake, word read");
    if ((seen & closed) != 0) {
      return -ESHUTDOWN;
    }
    enter = (flags & NTH_WAKE_KERNEL) != 0 ? (seen & written) == 0
                                           : (seen & (notified | blocked | written)) == blocked;
    next = enter ? (seen | notified | written) + sender : seen | notified;
  } while (!atomic_compare_exchange_weak_explicit(
      &loop->word, &seen, next, memory_order_seq_cst, memory_order_relaxed));
  nth__fence_after_rmw();
  if (!enter) {
    return 0;
  }
  nth__failpoint(NTH__AT_LOOP_WRITE);
  atomic_fetch_add_explicit(&loop->writes, 1, memory_order_relaxed);
  nth__poller_wake(&loop->poller);
  nth__chaos("nth_event_loop_wake, written");
  /* Release: pairs with the acquire in nth__wake_close, which gives the descriptor back. Last access to the loop. */
  atomic_fetch_sub_explicit(&loop->word, sender, memory_order_release);
  return 1;
}

static bool drain(nth_event_loop_t *loop) {
  nth__count(&loop->reads);
  return nth__poller_drain(&loop->poller);
}

bool nth__wake_take(nth_event_loop_t *loop) {
  /* Relaxed: a bit that is missed here is found by the block step or by the next poll. */
  uint32_t seen = atomic_load_explicit(&loop->word, memory_order_relaxed);
  if ((seen & (notified | written)) == 0) {
    return false;
  }
  uint32_t off = (seen & written) != 0 && drain(loop) ? notified | written : notified;
  nth__chaos("nth__wake_take, drained");
  seen = atomic_fetch_and_explicit(&loop->word, ~off, memory_order_seq_cst);
  nth__fence_after_rmw();
  nth__failpoint(NTH__AT_LOOP_RESET);
  return (seen & notified) != 0;
}

bool nth__wake_begin_block(nth_event_loop_t *loop) {
  nth__failpoint(NTH__AT_LOOP_SLEEP);
  uint32_t seen = atomic_load_explicit(&loop->word, memory_order_relaxed);
  do {
    assert((seen & (blocked | closed)) == 0);
    if ((seen & notified) != 0) {
      return false;
    }
  } while (!atomic_compare_exchange_weak_explicit(
      &loop->word, &seen, seen | blocked, memory_order_seq_cst, memory_order_relaxed));
  nth__failpoint(NTH__AT_LOOP_BLOCK);
  return true;
}

bool nth__wake_end_block(nth_event_loop_t *loop, bool readable) {
  nth__chaos("nth__wake_end_block");
  uint32_t off = readable && drain(loop) ? blocked | notified | written : blocked | notified;
  nth__chaos("nth__wake_end_block, drained");
  uint32_t seen = atomic_fetch_and_explicit(&loop->word, ~off, memory_order_seq_cst);
  nth__fence_after_rmw();
  assert((seen & blocked) != 0);
  nth__failpoint(NTH__AT_LOOP_RESET);
  return (seen & notified) != 0;
}

void nth__wake_close(nth_event_loop_t *loop) {
  uint32_t seen = atomic_fetch_or_explicit(&loop->word, closed, memory_order_seq_cst);
  nth__chaos("nth__wake_close, closed");
  assert((seen & blocked) == 0);
  /* Acquire: pairs with the release of the last sender. */
  for (unsigned round = 0; seen >= sender;) {
    nth__spin_round(&round, NTH__CLOSE_PAUSES, false); /* yields in the end: the waker was probably pre-empted (T31) */
    seen = atomic_load_explicit(&loop->word, memory_order_acquire);
  }
}
