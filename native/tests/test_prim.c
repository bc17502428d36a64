/* SPDX-License-Identifier: MIT
 *
 * The door to the operating system.
 */
#include <string.h>

#include "harness.h"
#include "native_threading.h"
#include "prim/prim.h"

TEST(T21_deadlines_saturate) {
  int64_t before = nth__now_ns();
  CHECK(nth__deadline(0) >= before);
  CHECK(nth__deadline(1) > before);
  CHECK_EQ(nth__deadline(-1), NTH__FOREVER);
  CHECK_EQ(nth__deadline(INT64_MIN), NTH__FOREVER);
  CHECK_EQ(nth__deadline(INT64_MAX), NTH__FOREVER);
  CHECK_EQ(nth__deadline(INT64_MAX - 1), NTH__FOREVER);
  CHECK(nth__deadline(INT64_MAX / 2) < NTH__FOREVER);
}

TEST(T21_park_times_out_and_never_early) {
  static const int64_t timeouts[] = {0, 1, 999, 1 * US, 1 * MS, 50 * MS};
  for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
    _Atomic uint32_t word = 0;
    int64_t deadline = nth__now_ns() + timeouts[i];
    int result;
    do {
      result = nth__park(&word, 0, deadline);
    } while (result == 0); /* for no reason */
    CHECK_EQ(result, -ETIMEDOUT);
    CHECK(nth__now_ns() >= deadline);
  }
}

TEST(T21_a_deadline_in_the_past_times_out) {
  _Atomic uint32_t word = 0;
  CHECK_EQ(nth__park(&word, 0, 0), -ETIMEDOUT);
  CHECK_EQ(nth__park(&word, 0, nth__now_ns() - SEC), -ETIMEDOUT);
}

TEST(T21_a_changed_word_is_not_a_timeout) {
  _Atomic uint32_t word = 1;
  CHECK_EQ(nth__park(&word, 0, NTH__FOREVER), 0);
  CHECK_EQ(nth__park(&word, 0, nth__now_ns() + DEADLINE_NS), 0);
}

static void park_until_changed(void *argument) {
  _Atomic uint32_t *word = argument;
  while (atomic_load(word) == 0) {
    CHECK_EQ(nth__park(word, 0, nth__now_ns() + DEADLINE_NS), 0);
  }
}

TEST(T128_no_wake_between_compare_and_sleep_is_lost) {
  int64_t end = stress_end();
  for (uint32_t random = 1; now_ns() < end;) {
    _Atomic uint32_t word = 0;
    thread_t thread;
    start_thread(&thread, park_until_changed, &word);
    spin_for(next_random(&random) % (100 * US));
    atomic_store(&word, 1);
    nth__unpark(&word);
    join_thread(&thread);
  }
}

TEST(usable_cpus_follow_the_affinity_mask) {
  CHECK(nth_usable_cpus() >= 1);
  use_one_cpu();
  CHECK_EQ(nth_usable_cpus(), 1);
}

static int own_nice(void) {
  return own_scheduling().nice;
}

static void change_nice(void *argument) {
  (void)argument;
  int before = own_nice();
  CHECK_EQ(nth_thread_set_nice(-21), -EINVAL); /* T66: the kernel would clamp it */
  CHECK_EQ(nth_thread_set_nice(20), -EINVAL);
  CHECK_EQ(own_nice(), before);
  CHECK_EQ(nth_thread_set_nice(before + 1), 0);
  CHECK_EQ(own_nice(), before + 1);
  int32_t result = nth_thread_set_nice(-5); /* for the privileged only */
  CHECK(result == 0 || result == -EACCES || result == -EPERM);
  CHECK(result == 0 ? own_nice() < before : own_nice() == before + 1);
}

TEST(T66_set_nice_changes_the_calling_thread_only) {
  int before = own_nice();
  thread_t thread;
  start_thread(&thread, change_nice, NULL);
  join_thread(&thread);
  CHECK_EQ(own_nice(), before);
}

typedef struct {
  scheduling_t process, pinned, started;
  int32_t cpu;
  int32_t result;
} pinning_t;

static void take_back(void *argument) {
  CHECK_EQ(nth_thread_reset_inherited(), 0);
  ((pinning_t *)argument)->started = own_scheduling();
}

static bool has_cpu(const scheduling_t *scheduling, int32_t cpu) {
  return (scheduling->cpus[cpu / 64] >> cpu % 64 & 1) != 0;
}

static void pin(void *argument) {
  pinning_t *pinning = argument;
  const int32_t invalid[] = {pinning->cpu, -1};
  pinning->result = nth_thread_set_affinity(&pinning->cpu, 1);
  if (pinning->result == -ENOSYS) {
    return;
  }
  CHECK_EQ(nth_thread_set_affinity(NULL, 0), -EINVAL);
  CHECK_EQ(nth_thread_set_affinity(invalid, 2), -EINVAL);
  pinning->pinned = own_scheduling();
  thread_t thread;
  start_thread(&thread, take_back, pinning);
  join_thread(&thread);
}

TEST(a_thread_is_pinned_alone_and_one_that_it_starts_takes_its_processors_back) {
  pinning_t pinning = {.process = own_scheduling()};
  const int32_t cpus = (int32_t)sizeof pinning.process.cpus * 8;
  for (int32_t cpu = 0; cpu < cpus; cpu++) {
    pinning.cpu = has_cpu(&pinning.process, cpu) ? cpu : pinning.cpu;
  }
  thread_t thread;
  start_thread(&thread, pin, &pinning);
  join_thread(&thread);
  scheduling_t after = own_scheduling();
  CHECK(memcmp(pinning.process.cpus, after.cpus, sizeof after.cpus) == 0);
  if (pinning.result == -ENOSYS) {
    return;
  }
  CHECK_EQ(pinning.result, 0);
  for (int32_t cpu = 0; cpu < cpus; cpu++) {
    CHECK_EQ(has_cpu(&pinning.pinned, cpu), cpu == pinning.cpu);
  }
  CHECK(memcmp(pinning.process.cpus, pinning.started.cpus, sizeof after.cpus) == 0);
}

TEST(T54_a_barrier_leaves_the_calling_thread_its_processors) {
  scheduling_t before = own_scheduling();
  CHECK_EQ(nth_process_barrier(), without_barrier() == NULL ? -ENOSYS : 0);
  scheduling_t after = own_scheduling();
  CHECK(memcmp(before.cpus, after.cpus, sizeof before.cpus) == 0);
}

TEST(memory_is_zeroed_and_on_its_own_line) {
  for (size_t size = 1; size < 1000; size += 37) {
    unsigned char *memory = nth__alloc(size);
    CHECK(memory != NULL);
    CHECK_EQ((uintptr_t)memory % NTH__CACHE_LINE, 0);
    for (size_t i = 0; i < size; i++) {
      CHECK_EQ(memory[i], 0);
    }
    memset(memory, 0xFF, size);
    nth__free(memory);
  }
}
