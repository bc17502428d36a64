/* SPDX-License-Identifier: MIT
 *
 * The semaphore's state word: layout and the one rule.
 *
 *   bits  0..31  permits, at most INT32_MAX
 *   bits 32..61  waiters: parkers on the stack
 *   bit  62      LINGERING: one waiter polls the permits
 *   bit  63      LOCKED: the stack is being changed
 */
#ifndef NTH__LIFO_SEMAPHORE_WORD_H
#define NTH__LIFO_SEMAPHORE_WORD_H

#include <stdbool.h>
#include <stdint.h>

#define NTH__PERMIT ((uint64_t)1)
#define NTH__WAITER ((uint64_t)1 << 32)
#define NTH__LINGERING ((uint64_t)1 << 62)
#define NTH__LOCKED ((uint64_t)1 << 63)

#define NTH__PERMIT_MASK (NTH__WAITER - 1)
#define NTH__WAITER_MASK (NTH__LINGERING - NTH__WAITER)

/* T20: a field's largest value stays inside it, with room for the step that takes it there. Linux has at most
 * 2^22 threads, Windows at most 2^32 / 4, so that the count of waiters cannot leave its 30 bits. */
_Static_assert(NTH__PERMIT_MASK >= (uint64_t)INT32_MAX * 2, "permits");
_Static_assert((NTH__WAITER_MASK / NTH__WAITER) + 1 == (uint64_t)1 << 30, "waiters");
_Static_assert((NTH__PERMIT_MASK | NTH__WAITER_MASK | NTH__LINGERING | NTH__LOCKED) == UINT64_MAX, "gap");
_Static_assert(NTH__PERMIT_MASK + NTH__WAITER_MASK + NTH__LINGERING + NTH__LOCKED == UINT64_MAX, "overlap");

static inline uint32_t nth__permits(uint64_t word) {
  return (uint32_t)(word & NTH__PERMIT_MASK);
}

static inline uint32_t nth__waiters(uint64_t word) {
  return (uint32_t)((word & NTH__WAITER_MASK) / NTH__WAITER);
}

/* The rule: how many parked waiters are to be woken. One permit is left to the lingerer, if there is one. */
static inline uint32_t nth__to_wake(uint64_t word) {
  uint32_t permits = nth__permits(word);
  if (permits != 0 && (word & NTH__LINGERING) != 0) {
    permits--;
  }
  uint32_t waiters = nth__waiters(word);
  return waiters < permits ? waiters : permits;
}

/* The word after that many waiters were given a permit each. */
static inline uint64_t nth__claim(uint64_t word, uint32_t count) {
  return word - count * (NTH__PERMIT + NTH__WAITER);
}

#endif
