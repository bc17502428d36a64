/* SPDX-License-Identifier: MIT
 *
 * The calibration. Each test is a process of its own, so that each sees a first call.
 */
#include "harness.h"
#include "native_threading.h"

static void check_range(int64_t latency_ns) {
  CHECK(latency_ns == 0 || (latency_ns >= 5 * US && latency_ns <= 50 * US));
}

TEST(T47_the_latency_is_within_its_clamp_and_measured_once) {
  int64_t latency = nth_wake_latency_ns();
  check_range(latency);
  bool can_spin = nth_linger_acquire(NTH_LINGER_IDLE_WORKER) == 1;
  CHECK_EQ(latency > 0, can_spin);
  for (int i = 0; i < 10; i++) {
    CHECK_EQ(nth_wake_latency_ns(), latency);
  }
}

static void call_first(void *argument) {
  *(int64_t *)argument = nth_wake_latency_ns();
}

TEST(T41_first_calls_from_many_threads_agree) {
  thread_t threads[8];
  int64_t latencies[8];
  for (int i = 0; i < 8; i++) {
    start_thread(&threads[i], call_first, &latencies[i]);
  }
  for (int i = 0; i < 8; i++) {
    join_thread(&threads[i]);
    check_range(latencies[i]);
    CHECK_EQ(latencies[i], latencies[0]);
  }
}

TEST(T49_zero_with_one_cpu) {
  use_one_cpu();
  CHECK_EQ(nth_wake_latency_ns(), 0);
}
