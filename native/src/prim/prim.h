/* SPDX-License-Identifier: MIT
 *
 * The only door to the operating system. One implementation per system: linux.c, darwin.c, windows.c. What each of them does for a
 * public function without a line of code in between has the public name.
 */
#ifndef NTH__PRIM_H
#define NTH__PRIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native_threading.h"

/* Two lines of 64 bytes on x86, whose prefetcher fetches pairs; one line on Apple's processors. */
#define NTH__CACHE_LINE 128
#define NTH__OWN_LINE _Alignas(NTH__CACHE_LINE)

/* A deadline that never comes. */
#define NTH__FOREVER INT64_MAX

/* ---- Parking: the kernel compares and sleeps in one step ----------------------------------------------- */

/* Parks while *word == expected, until the deadline on nth__now_ns's clock. 0: woken, changed, or without a reason, as
 * by a signal. -ETIMEDOUT: the deadline has passed. The caller re-reads the word either way. */
int nth__park(_Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns);

/* Wakes one thread parked on the word. Passes the address to the kernel and never touches the memory, so the woken
 * thread may have freed it before this call. A thread that parks at that address by then is woken without a reason. */
void nth__unpark(_Atomic uint32_t *word);

/* ---- Time ---------------------------------------------------------------------------------------------- */

int64_t nth__now_ns(void);

/* The deadline of a relative timeout that starts now; negative means indefinitely. Saturates (T21). */
static inline int64_t nth__deadline(int64_t timeout_ns) {
  if (timeout_ns < 0) {
    return NTH__FOREVER;
  }
  int64_t now = nth__now_ns();
  return timeout_ns < NTH__FOREVER - now ? now + timeout_ns : NTH__FOREVER;
}

/* ---- Processors ---------------------------------------------------------------------------------------- */

/* The CPU the calling thread runs on at this moment, or -1 where the system does not tell. */
int32_t nth__current_cpu(void);

void nth__yield(void);

/* Tells the processor that the caller polls. */
static inline void nth__pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#else
  atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Makes a sequentially consistent read-modify-write a full fence: store-load too, against plain accesses of
 * others. A locked instruction of x86 is one already; elsewhere C11 promises less. */
static inline void nth__fence_after_rmw(void) {
#if !defined(__x86_64__) && !defined(__i386__)
  atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

typedef struct nth__thread {
  uintptr_t handle;
  void (*run)(void *argument);
  void *argument;
} nth__thread_t;

/* Starts a thread that takes no signals. The structure must live until the join. -EAGAIN, -ENOMEM. */
int nth__thread_start(nth__thread_t *thread, void (*run)(void *argument), void *argument);
void nth__thread_join(nth__thread_t *thread);

/* ---- Memory ------------------------------------------------------------------------------------------------ */

/* Zeroed memory that begins on a cache line of its own, or NULL. */
void *nth__alloc(size_t size);
void nth__free(void *memory);

#endif
