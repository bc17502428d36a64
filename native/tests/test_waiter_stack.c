/* SPDX-License-Identifier: MIT
 *
 * The stack of parkers, and the token.
 */
#include "failpoints.h"
#include "native_threading.h"
#include "waiter_stack.h"

TEST(T19_last_in_first_out) {
  nth__stack_t stack = {0};
  static nth__parker_t parkers[5];
  for (int i = 0; i < 5; i++) {
    nth__push(&stack, &parkers[i]);
    CHECK(parkers[i].stacked);
  }
  for (int i = 4; i >= 0; i--) {
    CHECK(nth__pop(&stack) == &parkers[i]);
    CHECK(!parkers[i].stacked);
  }
  CHECK(stack.top == NULL);
}

TEST(T23_removal_anywhere_keeps_the_order_of_the_rest) {
  for (int removed = 0; removed < 5; removed++) {
    for (int second = 0; second < 5; second++) {
      nth__stack_t stack = {0};
      nth__parker_t parkers[5] = {0};
      for (int i = 0; i < 5; i++) {
        nth__push(&stack, &parkers[i]);
      }
      nth__remove(&stack, &parkers[removed]);
      if (second != removed) {
        nth__remove(&stack, &parkers[second]);
      }
      for (int i = 4; i >= 0; i--) {
        if (i != removed && i != second) {
          CHECK(nth__pop(&stack) == &parkers[i]);
        }
      }
      CHECK(stack.top == NULL);
      nth__push(&stack, &parkers[removed]); /* usable again */
      CHECK(nth__pop(&stack) == &parkers[removed]);
    }
  }
}

TEST(T53_a_parker_that_is_not_parked_yet_costs_no_system_call) {
  nth__parker_t parker = {0};
  CHECK(!nth__grant(&parker));
  count_points();
  CHECK(nth__await_token(&parker, NTH__FOREVER));
  CHECK_EQ(passed(NTH__AT_PARK), 0);
}

static void await(void *argument) {
  CHECK(nth__await_token(argument, nth__now_ns() + DEADLINE_NS));
}

TEST(a_parked_parker_costs_one) {
  nth__parker_t parker = {0};
  count_points();
  thread_t thread;
  start_thread(&thread, await, &parker);
  UNTIL(passed(NTH__AT_PARK) == 1);
  CHECK(nth__grant(&parker));
  join_thread(&thread);
}

TEST(T12_a_token_that_comes_after_the_timeout_is_consumed) {
  nth__parker_t parker = {0};
  CHECK(!nth__await_token(&parker, nth__now_ns() + MS));
  CHECK(nth__grant(&parker)); /* marked as parked, for it may be in the kernel */
  nth__consume_token(&parker);
}

typedef struct disturbed {
  nth__parker_t parker;
  int64_t timeout_ns;
  bool granted;
  _Atomic bool done;
} disturbed_t;

static void await_disturbed(void *argument) {
  disturbed_t *disturbed = argument;
  int64_t deadline = nth__now_ns() + disturbed->timeout_ns;
  disturbed->granted = nth__await_token(&disturbed->parker, deadline);
  CHECK(disturbed->granted || nth__now_ns() >= deadline);
  atomic_store(&disturbed->done, true);
}

static void disturb_a_wait(void) {
  disturbed_t disturbed = {.timeout_ns = 50 * MS};
  int64_t began = now_ns();
  thread_t thread;
  start_thread(&thread, await_disturbed, &disturbed);
  while (!atomic_load(&disturbed.done)) {
    nth__unpark(&disturbed.parker.token);
    CHECK(now_ns() < began + DEADLINE_NS);
  }
  join_thread(&thread);
  CHECK(!disturbed.granted);
}

TEST(T17_spurious_wakes_neither_end_nor_lengthen_a_wait) {
  count_points();
  int64_t waits = 0, end = now_ns() + DEADLINE_NS;
  do { /* until there was a wake: on a busy machine this thread may not run before the wait is over */
    disturb_a_wait();
    waits++;
  } while (passed(NTH__AT_PARK) <= waits && now_ns() < end);
  CHECK(passed(NTH__AT_PARK) > waits);
}

static _Atomic uint64_t word;
static int64_t guarded;

static void lock_often(void *argument) {
  int64_t *rounds = argument;
  for (int64_t end = stress_end(); now_ns() < end; ++*rounds) {
    nth__lock(&word, UINT64_C(1) << 63);
    guarded++;
    atomic_fetch_sub_explicit(&word, UINT64_C(1) << 63, memory_order_release);
  }
}

TEST(T60_the_lock_bit_excludes_and_lets_everybody_in_with_more_threads_than_cpus) {
  int threads = 4 * nth_usable_cpus() < 32 ? 4 * nth_usable_cpus() : 32;
  thread_t thread[32];
  int64_t rounds[32] = {0}, sum = 0;
  for (int i = 0; i < threads; i++) {
    start_thread(&thread[i], lock_often, &rounds[i]);
  }
  for (int i = 0; i < threads; i++) {
    join_thread(&thread[i]);
    CHECK(rounds[i] > 0);
    sum += rounds[i];
  }
  CHECK_EQ(guarded, sum);
}
