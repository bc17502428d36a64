/* SPDX-License-Identifier: MIT
 *
 * What every test program uses: registration, checks, deadlines, threads, and the length of a stress run.
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "platform.h"
#include "prim/errors.h"

/* ---- Tests: TEST(T12_what_must_hold) { ... }. CMake finds them by this word at the start of a line. ---- */

typedef struct test {
  const char *name;
  void (*run)(void);
  struct test *next;
} test_t;

void register_test(test_t *test);

#define TEST(test_name)                                                 \
  static void test_name(void);                                          \
  __attribute__((constructor)) static void test_name##_register(void) { \
    static test_t test = {#test_name, test_name, NULL};                 \
    register_test(&test);                                               \
  }                                                                     \
  static void test_name(void)

/* ---- Checks: a failed one names its place and ends the process. ---------------------------------------- */

#if defined(__MINGW_PRINTF_FORMAT)
#define TESTS_PRINTF __MINGW_PRINTF_FORMAT
#else
#define TESTS_PRINTF printf
#endif

__attribute__((format(TESTS_PRINTF, 3, 4)))
_Noreturn void fail(const char *file, int line, const char *format, ...);

#define CHECK(condition)                               \
  do {                                                 \
    if (!(condition)) {                                \
      fail(__FILE__, __LINE__, "not so: %s", #condition); \
    }                                                  \
  } while (0)

#define CHECK_EQ(actual, expected)                                         \
  do {                                                                     \
    int64_t actual_ = (int64_t)(actual), expected_ = (int64_t)(expected);  \
    if (actual_ != expected_) {                                            \
      fail(__FILE__, __LINE__, "%s is %" PRId64 ", not %" PRId64 " (%s)",  \
          #actual, actual_, expected_, #expected);                         \
    }                                                                      \
  } while (0)

/* Waits for the condition, giving the CPU away; fails after the deadline. */
#define UNTIL(condition)                                               \
  do {                                                                 \
    int64_t give_up_ = now_ns() + DEADLINE_NS;                         \
    while (!(condition)) {                                             \
      if (now_ns() > give_up_) {                                       \
        fail(__FILE__, __LINE__, "the condition did not become true: %s", #condition); \
      }                                                                \
      give_cpu_away();                                                 \
    }                                                                  \
  } while (0)

/* ---- Time ---------------------------------------------------------------------------------------------- */

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SEC INT64_C(1000000000)
#define DEADLINE_NS (30 * SEC)

/* The timeout of a wait that must end with a wake. Not a long one: a wait that ends by its timeout finds what
 * a lost wake has left behind, and hides the loss. The join of the waiting thread has the deadline. */
#define ENDLESS (-1)

void spin_for(int64_t duration_ns);

/* When a stress run that starts now is to end: after less than a second, or NTH_SOAK times that, at most 20 s. */
int64_t stress_end(void);

/* ---- Threads ------------------------------------------------------------------------------------------- */

void start_thread(thread_t *thread, void (*run)(void *argument), void *argument);
void join_thread(thread_t *thread); /* fails after twice the deadline: stress runs have one of their own */

bool same_scheduling(const scheduling_t *left, const scheduling_t *right);

/* A lock for tests: it yields. False at first. */
typedef _Atomic bool test_lock_t;
void take_lock(test_lock_t *lock);
void give_lock(test_lock_t *lock);

/* Reproducible per seed; not zero. */
uint32_t next_random(uint32_t *state);

#endif
