/* SPDX-License-Identifier: MIT
 *
 * The packed state word, against a model that keeps its fields apart.
 */
#include "harness.h"
#include "lifo_semaphore_word.h"

static uint64_t pack(uint32_t permits, uint32_t waiters, bool lingering, bool locked) {
  return permits | (uint64_t)waiters << 32 | (lingering ? NTH__LINGERING : 0) | (locked ? NTH__LOCKED : 0);
}

static void check_word(uint32_t permits, uint32_t waiters, bool lingering, bool locked) {
  uint64_t word = pack(permits, waiters, lingering, locked);
  CHECK_EQ(nth__permits(word), permits);
  CHECK_EQ(nth__waiters(word), waiters);

  int64_t spare = (int64_t)permits - lingering;
  int64_t expected = spare <= 0 ? 0 : spare < waiters ? spare : waiters;
  uint32_t count = nth__to_wake(word);
  CHECK_EQ(count, expected);

  /* Claiming leaves the other fields alone, the lingerer its permit, and no waiter to wake. */
  uint64_t after = nth__claim(word, count);
  CHECK(after == pack(permits - count, waiters - count, lingering, locked));
  CHECK_EQ(nth__to_wake(after), 0);
  CHECK(!lingering || permits == 0 || nth__permits(after) >= 1);

  /* One step up or down at a bound does not reach into the neighbour. */
  if (permits < INT32_MAX) {
    CHECK(word + NTH__PERMIT == pack(permits + 1, waiters, lingering, locked));
  }
  if (permits > 0) {
    CHECK(word - NTH__PERMIT == pack(permits - 1, waiters, lingering, locked));
  }
  if (waiters < (1u << 30) - 1) {
    CHECK(word + NTH__WAITER == pack(permits, waiters + 1, lingering, locked));
  }
  if (waiters > 0) {
    CHECK(word - NTH__WAITER == pack(permits, waiters - 1, lingering, locked));
  }
}

TEST(T20_every_bound_of_every_field) {
  static const uint32_t permits[] = {0, 1, 2, 254, 255, 256, 65535, 65536, INT32_MAX - 1, INT32_MAX};
  static const uint32_t waiters[] = {0, 1, 2, 255, 256, 65535, 65536, (1u << 30) - 2, (1u << 30) - 1};
  for (size_t p = 0; p < sizeof permits / sizeof permits[0]; p++) {
    for (size_t w = 0; w < sizeof waiters / sizeof waiters[0]; w++) {
      for (int flags = 0; flags < 4; flags++) {
        check_word(permits[p], waiters[w], (flags & 1) != 0, (flags & 2) != 0);
      }
    }
  }
}

TEST(T20_random_words) {
  uint32_t random = 2463534242;
  for (int i = 0; i < 1000000; i++) {
    uint32_t shifts = next_random(&random);
    uint32_t permits = (next_random(&random) & INT32_MAX) >> (shifts & 31);
    uint32_t waiters = (next_random(&random) >> 2) >> (shifts >> 5 & 31);
    check_word(permits, waiters, (shifts >> 10 & 1) != 0, (shifts >> 11 & 1) != 0);
  }
}
