/* SPDX-License-Identifier: MIT
 *
 * Whether lingering has paid lately. Arrivals that are sparser than the linger time use the credit up. Denser ones earn
 * it back; the length of parks shows how dense they are. The same in C# is Platform/LingerBudget.cs.
 */
#ifndef NTH__LINGER_CREDIT_H
#define NTH__LINGER_CREDIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuning.h"

/* All accesses are relaxed, and an update is lost now and then: the credit is an estimate. */
typedef struct nth__linger_credit {
  _Atomic int32_t left;
} nth__linger_credit_t;

static inline void nth__linger_credit_init(nth__linger_credit_t *credit) {
  atomic_init(&credit->left, NTH__FIRST_LINGER_CREDIT);
}

static inline bool nth__linger_credit_any(const nth__linger_credit_t *credit) {
  return atomic_load_explicit(&credit->left, memory_order_relaxed) > 0;
}

static inline void nth__linger_credit_add(nth__linger_credit_t *credit, int32_t change) {
  int32_t sum = atomic_load_explicit(&credit->left, memory_order_relaxed) + change;
  sum = sum < 0 ? 0 : sum > NTH__MOST_LINGER_CREDIT ? NTH__MOST_LINGER_CREDIT : sum;
  atomic_store_explicit(&credit->left, sum, memory_order_relaxed);
}

/* A thread has lingered, and found what it hoped for or not. */
static inline void nth__linger_credit_note_linger(nth__linger_credit_t *credit, bool found) {
  nth__linger_credit_add(credit, found ? 1 : -1);
}

/* A parked thread was woken for something that arrived after this long. */
static inline void nth__linger_credit_note_gap(
    nth__linger_credit_t *credit, int64_t parked_ns, int64_t linger_ns) {
  if (parked_ns < NTH__LINGER_GAP_FACTOR * linger_ns) {
    nth__linger_credit_add(credit, NTH__LINGER_GAP_CREDIT);
  }
}

#endif
