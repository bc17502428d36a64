/* SPDX-License-Identifier: MIT
 *
 * The native core of NativeThreading: parking threads, waking them in LIFO order, deciding when a wake is needed
 * at all, and an event loop. This is the only public header; everything else in native/ is hidden.
 *
 * Conventions. Functions return 0 or a count on success and -errno on failure; the numbers are Linux's on every system.
 * Times are nanoseconds on the clock that .NET's Stopwatch reads, on Linux CLOCK_MONOTONIC; a timeout is relative, 0 means
 * "do not wait" and a negative one means "indefinitely". No function calls back. Handles are owned by the caller: a handle must not be destroyed while a call on it is running.
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
 * first use, so that a stale binary is reported instead of corrupting memory. */
#define NTH_ABI_VERSION 14

NTH_API int32_t nth_abi_version(void);

/* ---- The machine ------------------------------------------------------------------------------------------- */

/* CPUs this process may run on (its affinity mask), at least 1. */
NTH_API int32_t nth_usable_cpus(void);

/* The measured time from waking a parked thread on another CPU until it runs, clamped to 5..50 us. Measured once,
 * at the first call (about a millisecond); any thread. 0 with a single usable CPU, where spinning cannot pay. */
NTH_API int64_t nth_wake_latency_ns(void);

/* Sets the calling thread's nice value. -EPERM or -EACCES where the system refuses, -EINVAL outside
 * -20..19; the value is then unchanged. */
NTH_API int32_t nth_thread_set_nice(int32_t nice);

/* Restricts the calling thread to these processors, numbered from 0. 0, or -EINVAL: the list is empty, a number is out of range, or the
 * process may run on none of them; on Windows also if they are not all in one group of 64. -ENOSYS on macOS, which has no such call. The
 * affinity is then unchanged. */
NTH_API int32_t nth_thread_set_affinity(const int32_t *processors, int32_t count);

/* The calling thread's nice value less that of the process's first thread: what a thread that it starts would inherit. 0 where threads
 * inherit none. */
NTH_API int32_t nth_thread_nice_offset(void);

/* Takes back what the calling thread has inherited on Linux from the thread that started it: its nice value becomes that of the process's
 * first thread, where the system allows that; its affinity is widened to that of the first thread; signals are unblocked that the first
 * thread does not block; and the timer slack becomes that with which the library was loaded. 0, or the -errno of the first of these that
 * failed; 0 where nothing is inherited. */
NTH_API int32_t nth_thread_reset_inherited(void);

/* A full fence on each processor that runs a thread of the process, where the system's own call is known to make none: Wine's
 * FlushProcessWriteBuffers is an empty function. 0; takes milliseconds while other threads keep the processors busy, for it waits for
 * each. -ENOSYS: nothing was done, for the system's call is one (membarrier on Linux). The answer never changes. */
NTH_API int32_t nth_process_barrier(void);

/* ---- Linger budget ------------------------------------------------------------------------------------------
 * Lingering (polling for about one wake latency before parking) pays only while at most one thread of the process
 * does it without result. The budget is process-wide, shared by every pool, semaphore and loop. */

enum {
  NTH_LINGER_IDLE_WORKER = 0, /* a worker that hopes for work */
  NTH_LINGER_COMPLETION = 1,  /* a thread with a known completion outstanding */
  NTH_LINGER_READINESS = 2,   /* a loop whose peers have soon answered, lately */
  NTH_LINGER_WAITER = 3,      /* a semaphore's waiter: often at the other end of what a worker lingers for */
};

/* 1: the caller may linger until it calls nth_linger_release; 0: another thread lingers, or lingering cannot pay (this
 * is looked up again four times a second, because the affinity may change). */
NTH_API int32_t nth_linger_acquire(int32_t kind);
NTH_API void nth_linger_release(int32_t kind);

/* ---- LIFO semaphore -----------------------------------------------------------------------------------------
 * A general-purpose counting semaphore that wakes the most recently parked thread. No released permit waits for a
 * later call to be noticed; timeouts and releases may race; permits are never lost. Any thread may make any call. */

typedef struct nth_lifo_semaphore nth_lifo_semaphore_t;

/* linger_ns: how long the one lingering waiter polls the permit word before it parks; negative: the measured
 * wake latency; 0: never. initial_permits: 0..INT32_MAX. -EINVAL, -ENOMEM. */
NTH_API int32_t nth_lifo_semaphore_create(int32_t initial_permits, int64_t linger_ns, nth_lifo_semaphore_t **semaphore);

/* Takes a permit. 0, or -ETIMEDOUT; never returns early, never returns -EINTR. Allocates nothing. */
NTH_API int32_t nth_lifo_semaphore_wait(nth_lifo_semaphore_t *semaphore, int64_t timeout_ns);

/* Takes a permit if one is there: 0 or -EAGAIN. Never makes a system call. */
NTH_API int32_t nth_lifo_semaphore_try_wait(nth_lifo_semaphore_t *semaphore);

/* Adds permits and wakes as many parked threads as can use them. -EINVAL if count < 1, -EOVERFLOW if the permits
 * would exceed INT32_MAX (nothing was added). A full fence. Never blocks. */
NTH_API int32_t nth_lifo_semaphore_release(nth_lifo_semaphore_t *semaphore, int32_t count);

/* Permits, and parked threads, at some moment during the call; for diagnostics and tests. */
NTH_API int32_t nth_lifo_semaphore_permits(const nth_lifo_semaphore_t *semaphore);
NTH_API int32_t nth_lifo_semaphore_waiters(const nth_lifo_semaphore_t *semaphore);

NTH_API void nth_lifo_semaphore_destroy(nth_lifo_semaphore_t *semaphore);

/* ---- Worker signal ------------------------------------------------------------------------------------------
 * At most one request is outstanding. One 64-bit state word, alone on its cache lines, tells a producer with one plain
 * load whether a worker has to be woken; native code is entered only to announce, to park and to wake. A table in
 * docs/contributors/architecture/queues-and-state-word.md lists the transitions. */

enum {
  NTH_SIGNAL_REQUESTED = 1 << 0, /* a worker was asked for and has not started its first scan */
  NTH_SIGNAL_LINGERING = 1 << 1, /* one worker polls the queues, or throttles wakes; producers need not wake any worker */
  NTH_SIGNAL_SENTINEL = 1 << 2,  /* one parked worker, the sentinel, looks again within a bounded time */
  NTH_SIGNAL_GROWABLE = 1 << 3,  /* the pool may start another thread */
  NTH_SIGNAL_LOCKED = 1 << 4,    /* internal: the stack of parked workers is being changed */
  NTH_SIGNAL_WAKE_OWED = 1 << 5, /* internal: the lock holder pops and wakes before it unlocks */
  NTH_SIGNAL_UNMONITORED = 1 << 6, /* managed code's: no monitor watches waiting work for which no worker can be asked */
  NTH_SIGNAL_IDLE_SHIFT = 16,    /* 16 bits: parked workers, and those about to park that may be chosen */
  NTH_SIGNAL_STAMP_SHIFT = 32,   /* 32 bits: the request's time in ms, as passed to nth_worker_signal_request */
};

typedef struct nth_worker_signal nth_worker_signal_t;
typedef struct nth_worker nth_worker_t; /* the parker of one worker thread */

NTH_API int32_t nth_worker_signal_create(nth_worker_signal_t **signal);

/* The state word. Valid until nth_worker_signal_destroy. Managed code reads it on every enqueue, and changes it
 * only in the ways that the table assigns to managed code (acknowledge, linger, growable, unmonitored). */
NTH_API uint64_t *nth_worker_signal_word(nth_worker_signal_t *signal);

/* Creates the parker of one worker. The worker's own thread destroys it, or any thread when that one has ended. -ENOMEM;
 * -EOVERFLOW beyond 65535 workers of one signal. */
NTH_API int32_t nth_worker_create(nth_worker_signal_t *signal, nth_worker_t **worker);
NTH_API void nth_worker_destroy(nth_worker_t *worker);

enum {
  NTH_REQUEST_NOT_NEEDED = 0,   /* a request is outstanding, a worker lingers, or no worker can be asked */
  NTH_REQUEST_WOKE = 1,         /* the most recently parked worker was chosen */
  NTH_REQUEST_START_THREAD = 2, /* no worker is parked: the caller must start a thread, which owns the request */
};

/* Makes the one request if none is outstanding, no worker lingers, and a worker is idle or may be started. A full
 * fence. Never blocks (a request that finds the stack locked leaves the wake to the lock's holder). now_ms is stored as
 * the stamp. */
NTH_API int32_t nth_worker_signal_request(nth_worker_signal_t *signal, uint32_t now_ms);

enum { NTH_ANNOUNCE_SENTINEL = 1 << 0 };

/* Announces the calling worker idle: pushes it on the stack and counts it, one step for every observer. From now on
 * it may be chosen. The caller scans the queues once more and then either parks or withdraws. NTH_ANNOUNCE_SENTINEL
 * also sets SENTINEL in the same step: returns -EBUSY and does nothing where there is a sentinel already. A full
 * fence. */
NTH_API int32_t nth_worker_announce_idle(nth_worker_t *worker, uint32_t flags);

enum { NTH_PARK_TIMED_OUT = 0, NTH_PARK_CHOSEN = 1 };

/* Takes an announcement back. NTH_PARK_CHOSEN: a requester was faster, the request is the caller's to acknowledge;
 * 0: withdrawn. Clears SENTINEL if this worker had set it. A full fence. */
NTH_API int32_t nth_worker_withdraw(nth_worker_t *worker);

/* Parks an announced worker until it is chosen (the request is the caller's to acknowledge) or until the timeout,
 * after which it is no longer announced. Clears SENTINEL if this worker had set it. */
NTH_API int32_t nth_worker_park(nth_worker_t *worker, int64_t timeout_ns);

/* System calls made to wake workers of this signal since it was created. */
NTH_API int64_t nth_worker_signal_wakes(const nth_worker_signal_t *signal);

NTH_API void nth_worker_signal_destroy(nth_worker_signal_t *signal);

/* ---- Thread probe -------------------------------------------------------------------------------------------
 * Looking at another thread. A thread that has used no CPU time between two looks and waits at the second has waited all
 * the time between them; either sign alone is wrong too often. On Linux only, as the event loop. */

typedef struct nth_thread_probe nth_thread_probe_t;

enum {
  NTH_THREAD_RUNNABLE = 0, /* runs, or waits for a CPU */
  NTH_THREAD_WAITING = 1,  /* in the kernel, for something else than a CPU */
  NTH_THREAD_STOPPED = 2,  /* by a signal or a debugger: neither runs nor waits */
};

/* A probe of the calling thread, for use by any thread. It holds no descriptor; a look at the state or the delay
 * opens one, reads, and closes it. -ENOMEM. */
NTH_API int32_t nth_thread_probe_create(nth_thread_probe_t **probe);

/* CPU time that the thread has used, in nanoseconds. -ESRCH: it has ended. About 0.3 us. */
NTH_API int64_t nth_thread_probe_cpu(const nth_thread_probe_t *probe);

/* NTH_THREAD_*; -ESRCH: it has ended. Where the system hides run states, why they could not be opened: -ENOENT
 * or -EACCES (/proc is not mounted, or not readable), -EMFILE. About 10 us. */
NTH_API int32_t nth_thread_probe_state(const nth_thread_probe_t *probe);

/* Nanoseconds for which the thread was ready to run and had no CPU, up to the last time that it got one: exact for a
 * thread that waits. -ESRCH: it has ended; -ENOSYS: this system keeps no account; other errors as for the state. About
 * 8 us. */
NTH_API int64_t nth_thread_probe_run_delay(const nth_thread_probe_t *probe);

/* How often the thread has given up its CPU to wait. Losing it to another thread does not count. -ESRCH: it has ended; -ENOSYS:
 * this system does not count; other errors as for the state. About 25 us. */
NTH_API int64_t nth_thread_probe_waits(const nth_thread_probe_t *probe);

/* The name of the kernel's function in which the thread waits, terminated by 0 and cut to size; its length, or 0 where the
 * thread runs or the kernel hides the name. -ESRCH: it has ended; -ENOSYS: this system has no such names; other errors as
 * for the state. About 10 us. */
NTH_API int32_t nth_thread_probe_wait_channel(const nth_thread_probe_t *probe, char *name, int32_t size);

/* No look may be running. The thread may have ended before. */
NTH_API void nth_thread_probe_destroy(nth_thread_probe_t *probe);

/* ---- Event loop ---------------------------------------------------------------------------------------------
 * Wakes, timers and readiness in one poll. A loop belongs to the thread that polls it, before the first poll to the one
 * that sets it up: only that thread may make a call that is not marked "any thread". Other threads leave what they want
 * in a queue of the caller's and wake the loop. On Linux only: the library of another system has neither the functions of loops
 * nor the thin calls on descriptors. */

typedef struct nth_event_loop nth_event_loop_t;

enum {
  NTH_EVENT_NONE = 0,  /* struck out: its timer or descriptor was removed, cancelled or re-armed since the poll; skip it */
  NTH_EVENT_WAKE = 1,  /* woken, once or often, since the last such event; at most one of a batch, and its first */
  NTH_EVENT_TIMER = 2, /* a timer is due and no longer armed; token as given to nth_event_loop_timer_create */
  NTH_EVENT_READY = 3, /* flags say what a descriptor is ready for; token as given to nth_event_loop_add */
};

enum {
  NTH_READY_READ = 1 << 0,
  NTH_READY_WRITE = 1 << 1,
  NTH_READY_PEER_CLOSED = 1 << 2, /* the peer writes no more; told where NTH_READY_READ is asked for */
  NTH_READY_HANGUP = 1 << 3,      /* both directions are closed; told always, without any interest once */
  NTH_READY_ERROR = 1 << 4,       /* told always, without any interest once */
  NTH_READY_EDGE = 1 << 5,        /* interest only: tell of a change once, not for as long as it lasts */
  NTH_READY_URGENT = 1 << 6,      /* TCP's urgent byte has arrived: a read stops there. Told where NTH_READY_READ and _EDGE are asked for */
};

typedef struct nth_event {
  uint64_t token;
  uint32_t kind;
  uint32_t flags;
} nth_event_t;

/* -ENOMEM, -EMFILE, -ENFILE, or what a filter of system calls answers, as -EPERM or -ENOSYS. Unless call is NULL, it then
 * gets the name of the system's call that failed. */
NTH_API int32_t nth_event_loop_create(nth_event_loop_t **loop, const char **call);

/* Gives the descriptors back. From now on every call but destroy and stats does nothing and returns -ESHUTDOWN. Waits
 * for wakes that are inside the kernel at this moment; harmless when repeated. */
NTH_API void nth_event_loop_close(nth_event_loop_t *loop);

/* Closes, and frees the memory: no call may be running, or come later. */
NTH_API void nth_event_loop_destroy(nth_event_loop_t *loop);

enum { NTH_WAKE_KERNEL = 1 << 0 }; /* show the wake in the loop's descriptor, even where the loop does not sleep */

/* Makes the current or the next poll return with NTH_EVENT_WAKE. 1: took a system call; 0: took none, because a wake was
 * pending or the loop is not asleep (so never on the loop's own thread); -ESHUTDOWN. A full fence: what the caller
 * did before is visible to the loop after a poll that ends later. Any thread. Never blocks. */
NTH_API int32_t nth_event_loop_wake(nth_event_loop_t *loop, uint32_t flags);

/* The descriptor that an outer loop may wait on for readiness, and for wakes made with NTH_WAKE_KERNEL. Its number stays
 * the same, but an outer epoll must add it again where a descriptor was closed before it was removed (see
 * nth_event_loop_add). */
NTH_API int32_t nth_event_loop_descriptor(const nth_event_loop_t *loop);

enum {
  NTH_POLL_MIN_EVENTS = 8,
  NTH_POLL_LOOK = 1 << 0,   /* look at the descriptors in this poll, also where there is something to do without */
  NTH_POLL_LINGER = 1 << 1, /* linger before sleeping where polls with this flag soon found something, lately */
};

/* Blocks until there is an event or the timeout is over, and returns how many events it wrote. -EINVAL if capacity
 * is less than NTH_POLL_MIN_EVENTS, -ESHUTDOWN. The array stays the loop's until the next poll or the close, because
 * removing and cancelling strike out in it what they make stale: read each event only when its turn has come.
 * A due timer is disarmed when a poll puts it into the array: one that is re-armed after that fires in a later poll.
 * Where timers or wakes give the caller something to do at once, the poll looks at descriptors only if it last did so
 * 20 us or 16 polls ago, or if NTH_POLL_LOOK asks for it. With due timers, descriptors may fill half of the array; the timers have the rest. */
NTH_API int32_t nth_event_loop_poll(
    nth_event_loop_t *loop, nth_event_t *events, int32_t capacity, int64_t timeout_ns, uint32_t flags);

/* Registers a descriptor; interest is of NTH_READY_READ, _WRITE and _EDGE. Returns a handle >= 0, which is never used
 * again; -EBADF; -EEXIST if registered already; -EPERM for what cannot be polled (regular files); -EINVAL, -ENOMEM,
 * -ENOSPC. Remove before closing. If a descriptor is closed first and its file is still open elsewhere, the kernel keeps
 * telling of a file that no number names any more. The poll that finds this out makes the kernel forget it, at two system
 * calls for each registration. Then edge-triggered registrations get one more report of their readiness, and those whose
 * number does not name their file any more get NTH_READY_ERROR once. A registration whose descriptor was closed all the
 * same ends when the number is added again. */
NTH_API int64_t nth_event_loop_add(nth_event_loop_t *loop, int32_t descriptor, uint32_t interest, uint64_t token);

/* Replaces the interest; with NTH_READY_EDGE or without any interest also tells once more what is ready already. -ENOENT if the handle is
 * not registered (any more), or its descriptor was closed. */
NTH_API int32_t nth_event_loop_modify(nth_event_loop_t *loop, int64_t handle, uint32_t interest);

/* Ends a registration: no poll returns its token again, and its event in the current batch is struck out. 0 also
 * where the descriptor was closed already; -ENOENT as above. */
NTH_API int32_t nth_event_loop_remove(nth_event_loop_t *loop, int64_t handle);

/* Makes a timer, not armed. Returns a handle >= 0, which is never used again; -ENOMEM. */
NTH_API int64_t nth_event_loop_timer_create(nth_event_loop_t *loop, uint64_t token);

/* Arms a timer, or arms it again, for an absolute time. O(log n), no allocation, no system call. Timers fire in the
 * order of their deadlines, equal ones in arming order, never early. A deadline before the last poll's reading of the
 * clock counts as that reading, so that it does not overtake timers that are due already. INT64_MAX is never.
 * -EINVAL if negative, -ENOENT for a handle that was destroyed; the timer is then as it was. */
NTH_API int32_t nth_event_loop_timer_arm(nth_event_loop_t *loop, int64_t timer, int64_t deadline_ns);

/* Disarms. 1: it was armed, or its event was in the current batch and is struck out now; 0: neither; -ENOENT. A caller
 * that sets the kind of each event it has read to NTH_EVENT_NONE knows by 1 that the callback has not run. */
NTH_API int32_t nth_event_loop_timer_cancel(nth_event_loop_t *loop, int64_t timer);
NTH_API int32_t nth_event_loop_timer_destroy(nth_event_loop_t *loop, int64_t timer); /* cancels; 0 or -ENOENT */

/* System calls of a loop since its creation; for tests and diagnostics. Any thread. */
typedef struct nth_event_loop_stats {
  int64_t waits;    /* epoll_pwait2, whether it slept or only looked */
  int64_t controls; /* epoll_ctl */
  int64_t writes;   /* of the wake descriptor, by the waking threads */
  int64_t reads;    /* of the wake descriptor */
  int64_t lingers;  /* not a system call: polls that lingered */
  int64_t looks;    /* of the waits, those that only looked */
} nth_event_loop_stats_t;

NTH_API void nth_event_loop_stats(const nth_event_loop_t *loop, nth_event_loop_stats_t *stats);

/* Thin calls on descriptors, any thread: a count or descriptor, or -errno (-EAGAIN: not ready); never -EINTR. They
 * block where the descriptor was not made non-blocking. Descriptors from accept are non-blocking and closed on exec. */
typedef struct nth_buffer {
  void *base;
  uint64_t length;
} nth_buffer_t;

NTH_API int64_t nth_io_read(int32_t descriptor, void *memory, uint64_t length); /* 0: the peer writes no more */
NTH_API int64_t nth_io_receive(int32_t descriptor, void *memory, uint64_t length); /* the same of a socket, sooner: else -ENOTSOCK */

/* address may be NULL. Otherwise it receives the peer's address as the system's sockaddr, cut off at *length bytes, and
 * *length its whole length. */
NTH_API int32_t nth_io_accept(int32_t descriptor, void *address, int32_t *length);

/* Raises no SIGPIPE on a socket; -EPIPE instead. At most 1024 buffers: -EINVAL. */
NTH_API int64_t nth_io_writev(int32_t descriptor, const nth_buffer_t *buffers, int32_t count);

enum { NTH_SHUTDOWN_WRITE = 1 };
NTH_API int32_t nth_io_shutdown(int32_t descriptor, int32_t how);

#ifdef __cplusplus
}
#endif

#endif
