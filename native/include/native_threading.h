/* SPDX-License-Identifier: MIT
 *
 * The native core of NativeThreading: parking threads, waking them in LIFO order, and deciding when a wake is
 * needed at all. This is the only public header; everything else in native/ is hidden.
 *
 * Conventions. Functions return 0 or a count on success and -errno on failure. Times are nanoseconds on
 * CLOCK_MONOTONIC; a timeout is relative, 0 means "do not wait" and a negative one means "for ever". No function
 * calls back. Handles are owned by the caller: a handle must not be destroyed while a call on it is running.
 */
#ifndef NATIVE_THREADING_H
#define NATIVE_THREADING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define NTH_API __declspec(dllexport)
#else
#define NTH_API __attribute__((visibility("default")))
#endif

/* Raised whenever a signature, a constant or the layout of the state word changes. Managed code compares it at
 * first use, so that a stale binary is named instead of corrupting memory. */
#define NTH_ABI_VERSION 1

NTH_API int32_t nth_abi_version(void);

/* ---- The machine ------------------------------------------------------------------------------------------- */

/* CPUs this process may run on (its affinity mask), at least 1. */
NTH_API int32_t nth_usable_cpus(void);

/* The measured time from waking a parked thread on another CPU until it runs, clamped to 5..50 us. Measured once,
 * at the first call (about a millisecond); any thread. 0 with a single usable CPU or a CPU quota of one or less, where
 * spinning cannot pay. */
NTH_API int64_t nth_wake_latency_ns(void);

/* Sets the calling thread's nice value. -EPERM or -EACCES where the system refuses, -EINVAL outside
 * -20..19; the value is then unchanged. */
NTH_API int32_t nth_thread_set_nice(int32_t nice);

/* ---- Linger budget ------------------------------------------------------------------------------------------
 * Lingering (polling for about one wake latency before parking) pays only while at most one thread of the process
 * does it in vain. The budget is process-wide, shared by every pool, semaphore and loop. */

enum {
  NTH_LINGER_IDLE_WORKER = 0, /* a worker or waiter that hopes for work */
  NTH_LINGER_COMPLETION = 1,  /* a thread with a known completion outstanding */
};

/* 1: the place is the caller's until nth_linger_release; 0: somebody else lingers, or spinning cannot pay (looked
 * up again four times a second, for affinity and quota may change). */
NTH_API int32_t nth_linger_acquire(int32_t kind);
NTH_API void nth_linger_release(int32_t kind);

/* ---- LIFO semaphore -----------------------------------------------------------------------------------------
 * A general-purpose counting semaphore that wakes the most recently parked thread. No released permit waits for a
 * later call to be noticed; timeouts and releases may race; permits are never lost. Any thread may make any call. */

typedef struct nth_lifo_semaphore nth_lifo_semaphore_t;

/* linger_ns: how long the one lingering waiter polls the permit word before it parks; negative: the calibrated
 * wake latency; 0: never. initial_permits: 0..INT32_MAX. -EINVAL, -ENOMEM. */
NTH_API int32_t nth_lifo_semaphore_create(int32_t initial_permits, int64_t linger_ns, nth_lifo_semaphore_t **semaphore);

/* Takes a permit. 0, or -ETIMEDOUT; never returns early, never returns -EINTR. Allocates nothing. */
NTH_API int32_t nth_lifo_semaphore_wait(nth_lifo_semaphore_t *semaphore, int64_t timeout_ns);

/* Takes a permit if one is there: 0 or -EAGAIN. Never makes a system call. */
NTH_API int32_t nth_lifo_semaphore_try_wait(nth_lifo_semaphore_t *semaphore);

/* Adds permits and wakes as many parked threads as can use them. -EINVAL if count < 1, -EOVERFLOW if the permits
 * would exceed INT32_MAX (nothing was added). A full fence. Never blocks. */
NTH_API int32_t nth_lifo_semaphore_release(nth_lifo_semaphore_t *semaphore, int32_t count);

/* Permits and parked threads at some moment during the call; for diagnostics and tests. */
NTH_API int32_t nth_lifo_semaphore_permits(const nth_lifo_semaphore_t *semaphore);
NTH_API int32_t nth_lifo_semaphore_waiters(const nth_lifo_semaphore_t *semaphore);

NTH_API void nth_lifo_semaphore_destroy(nth_lifo_semaphore_t *semaphore);

/* ---- Worker signal ------------------------------------------------------------------------------------------
 * Single outstanding request. One 64-bit state word, alone on its cache line, tells a producer with one plain load
 * whether anybody has to be woken; native code is entered only to park and for a real wake. The transitions are a
 * table in docs/architecture.md. */

enum {
  NTH_SIGNAL_REQUESTED = 1 << 0, /* a worker was asked for and has not begun its first scan */
  NTH_SIGNAL_LINGERING = 1 << 1, /* one worker polls the queues; producers need not wake anybody */
  NTH_SIGNAL_WATCHING = 1 << 2,  /* one parked worker looks again within a bounded time */
  NTH_SIGNAL_GROWABLE = 1 << 3,  /* the pool may start another thread */
  NTH_SIGNAL_LOCKED = 1 << 4,    /* internal: the stack of parked workers is being changed */
  NTH_SIGNAL_WAKE_OWED = 1 << 5, /* internal: the lock holder pops and wakes before it unlocks */
  NTH_SIGNAL_IDLE_SHIFT = 16,    /* 16 bits: parked workers, and those about to park that may be chosen */
  NTH_SIGNAL_STAMP_SHIFT = 32,   /* 32 bits: the request's time in ms, as passed to nth_worker_signal_request */
};

typedef struct nth_worker_signal nth_worker_signal_t;
typedef struct nth_worker nth_worker_t; /* the parking place of one worker thread */

NTH_API int32_t nth_worker_signal_create(nth_worker_signal_t **signal);

/* The state word. Valid until nth_worker_signal_destroy. Managed code reads it on every enqueue, and changes it
 * only in the four ways that the table assigns to managed code (acknowledge, linger on/off, growable on/off). */
NTH_API uint64_t *nth_worker_signal_word(nth_worker_signal_t *signal);

/* Creates the parking place of one worker; destroyed by the worker's own thread, or when it has ended. -ENOMEM;
 * -EOVERFLOW beyond 65535 workers of one signal. */
NTH_API int32_t nth_worker_create(nth_worker_signal_t *signal, nth_worker_t **worker);
NTH_API void nth_worker_destroy(nth_worker_t *worker);

enum {
  NTH_REQUEST_NOT_NEEDED = 0,   /* a request is outstanding, somebody lingers, or nobody can be had */
  NTH_REQUEST_WOKE = 1,         /* the most recently parked worker was chosen */
  NTH_REQUEST_START_THREAD = 2, /* nobody is parked: the caller must start a thread, which owns the request */
};

/* Makes the one request if none is outstanding, nobody lingers and a worker can be had. A full fence. Never blocks
 * (a request that finds the stack locked leaves the wake to the lock's holder). now_ms is stored as its stamp. */
NTH_API int32_t nth_worker_signal_request(nth_worker_signal_t *signal, uint32_t now_ms);

enum { NTH_ANNOUNCE_WATCHING = 1 << 0 };

/* Announces the calling worker idle: pushes it on the stack and counts it, one step for every observer. From now on
 * it may be chosen. The caller scans the queues once more and then either parks or withdraws. NTH_ANNOUNCE_WATCHING
 * also sets WATCHING in the same step: returns -EBUSY and does nothing where another worker watches already. A full
 * fence. */
NTH_API int32_t nth_worker_announce_idle(nth_worker_t *worker, uint32_t flags);

enum { NTH_PARK_TIMED_OUT = 0, NTH_PARK_CHOSEN = 1 };

/* Takes an announcement back. NTH_PARK_CHOSEN: a requester was faster, the request is the caller's to acknowledge;
 * 0: withdrawn. Clears WATCHING if this worker had set it. A full fence. */
NTH_API int32_t nth_worker_withdraw(nth_worker_t *worker);

/* Parks an announced worker until it is chosen (the request is the caller's to acknowledge) or until the timeout,
 * after which it is no longer announced. Clears WATCHING if this worker had set it. */
NTH_API int32_t nth_worker_park(nth_worker_t *worker, int64_t timeout_ns);

/* System calls made to wake workers of this signal since it was created. */
NTH_API int64_t nth_worker_signal_wakes(const nth_worker_signal_t *signal);

NTH_API void nth_worker_signal_destroy(nth_worker_signal_t *signal);

#ifdef __cplusplus
}
#endif

#endif
