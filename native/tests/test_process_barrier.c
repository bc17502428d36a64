/* SPDX-License-Identifier: MIT
 *
 * The barrier that managed code leaves its fences to (T54): a thread that publishes rarely issues it, so that one that looks often
 * needs no fence. Two threads write one word each and read the other's. Where both read the old value, neither was ordered.
 *
 * The store that is to be late waits in the processor's buffer behind stores to lines that are in no cache.
 */
#include "harness.h"
#include "native_threading.h"
#include "prim/prim.h"

enum { LATE_STORES = 40, LINE = 64, LINES = 1 << 16 };

static NTH__OWN_LINE _Atomic int32_t looked_for, published, ready, turn, done;
static NTH__OWN_LINE volatile char cold[LINES * LINE];
static int32_t seen_by_looker;
static _Atomic bool over;

static void await(_Atomic int32_t *word, int32_t value) {
  for (unsigned round = 1; atomic_load_explicit(word, memory_order_acquire) != value; round++) {
    if (round % 4096 == 0) {
      give_cpu_away();
    }
    nth__pause();
  }
}

static volatile char *cold_line(int32_t round, int i) {
  return &cold[((uint32_t)round * 2654435761u + (uint32_t)i * 7919u) % LINES * LINE];
}

/* The one without a fence. */
static void look_often(void *argument) {
  (void)argument;
  for (int32_t round = 1; !atomic_load(&over); round++) {
    for (int i = 0; i < LATE_STORES; i++) {
      __builtin_ia32_clflush((const void *)(uintptr_t)cold_line(round, i));
    }
    (void)atomic_load_explicit(&published, memory_order_relaxed); /* so that the load below is quick */
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&ready, round, memory_order_release);
    await(&turn, round);
    for (int i = 0; i < LATE_STORES; i++) {
      *cold_line(round, i) = 1;
    }
    atomic_store_explicit(&looked_for, round, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the compiler keeps the order; the processor may not */
    seen_by_looker = atomic_load_explicit(&published, memory_order_relaxed);
    atomic_store_explicit(&done, round, memory_order_release);
  }
}

static void no_barrier(void) {
}

static void own_fence(void) {
  atomic_thread_fence(memory_order_seq_cst);
}

static void system_barrier(void) {
  process_barrier();
}

static void librarys_barrier(void) {
  nth_process_barrier();
}

/* How often both missed, until that has happened often enough or the time is over. */
static int64_t misses(void (*barrier)(void), int64_t enough, int64_t duration_ns) {
  thread_t looker;
  atomic_store(&over, false);
  atomic_store(&turn, 0);
  atomic_store(&ready, 0);
  start_thread(&looker, look_often, NULL);
  int64_t missed = 0, end = now_ns() + duration_ns;
  for (int32_t round = 1; !atomic_load(&over); round++) {
    await(&ready, round);
    atomic_store(&over, missed >= enough || now_ns() >= end);
    atomic_store_explicit(&turn, round, memory_order_release);
    for (int32_t pauses = round % 64; pauses > 0; pauses--) {
      nth__pause();
    }
    atomic_store_explicit(&published, round, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    barrier();
    int32_t seen = atomic_load_explicit(&looked_for, memory_order_relaxed);
    await(&done, round);
    missed += seen != round && seen_by_looker != round;
  }
  join_thread(&looker);
  return missed;
}

static void check_orders(void (*barrier)(void)) {
  if (nth_usable_cpus() == 1) {
    return; /* who looks and who publishes never run at the same time */
  }
  CHECK(misses(no_barrier, 100, DEADLINE_NS) >= 100); /* what follows could fail */
  CHECK(misses(own_fence, 100, DEADLINE_NS) >= 100);  /* and a fence on one side is not enough */
  CHECK_EQ(misses(barrier, 1, SEC / 2), 0);
}

TEST(T54_the_systems_barrier_orders_a_thread_that_has_no_fence_and_else_the_librarys_does) {
  if (without_barrier() == NULL) {
    CHECK_EQ(nth_process_barrier(), -ENOSYS);
    CHECK(process_barrier());
    check_orders(system_barrier);
  } else {
    printf("Wine %s: both missed %d times\n", without_barrier(), (int)misses(system_barrier, 1000, SEC / 2));
    CHECK_EQ(nth_process_barrier(), 0);
    check_orders(librarys_barrier);
  }
}
