/* SPDX-License-Identifier: MIT
 *
 * The process-wide linger budget.
 */
#include "harness.h"
#include "native_threading.h"

TEST(T46_each_kind_has_one_slot) {
  int32_t can = nth_usable_cpus() > 1 ? nth_linger_acquire(NTH_LINGER_IDLE_WORKER) : 0;
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_IDLE_WORKER), 0);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_COMPLETION), can);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_COMPLETION), 0);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_READINESS), can);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_READINESS), 0);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_WAITER), can);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_WAITER), 0);
  if (can) {
    nth_linger_release(NTH_LINGER_IDLE_WORKER);
    CHECK_EQ(nth_linger_acquire(NTH_LINGER_IDLE_WORKER), 1);
    nth_linger_release(NTH_LINGER_IDLE_WORKER);
    nth_linger_release(NTH_LINGER_COMPLETION);
    nth_linger_release(NTH_LINGER_READINESS);
    nth_linger_release(NTH_LINGER_WAITER);
  }
}

TEST(T66_unknown_kinds_have_no_slot) {
  CHECK_EQ(nth_linger_acquire(-1), 0);
  CHECK_EQ(nth_linger_acquire(4), 0);
  CHECK_EQ(nth_linger_acquire(INT32_MAX), 0);
  nth_linger_release(-1);
  nth_linger_release(4);
}

TEST(T49_with_one_cpu_there_is_no_budget) {
  use_one_cpu();
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_IDLE_WORKER), 0); /* the first look is made at the first call */
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_COMPLETION), 0);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_READINESS), 0);
  CHECK_EQ(nth_linger_acquire(NTH_LINGER_WAITER), 0);
}

static _Atomic int holders;

static void acquire_often(void *argument) {
  int64_t *acquired = argument;
  for (int64_t end = stress_end(); now_ns() < end;) {
    if (nth_linger_acquire(NTH_LINGER_IDLE_WORKER) == 1) {
      CHECK_EQ(atomic_fetch_add(&holders, 1), 0);
      CHECK_EQ(atomic_fetch_sub(&holders, 1), 1);
      nth_linger_release(NTH_LINGER_IDLE_WORKER);
      ++*acquired;
    }
  }
}

TEST(T46_at_most_one_thread_holds_a_slot) {
  thread_t threads[8];
  int64_t acquired[8] = {0}, sum = 0;
  for (int i = 0; i < 8; i++) {
    start_thread(&threads[i], acquire_often, &acquired[i]);
  }
  for (int i = 0; i < 8; i++) {
    join_thread(&threads[i]);
    sum += acquired[i];
  }
  CHECK((sum > 0) == (nth_wake_latency_ns() > 0));
}
