/* SPDX-License-Identifier: MIT
 *
 * macOS. Never run: native/tests/stubs/README.md says what is checked.
 *
 * Parking is os_sync_wait_on_address, public since macOS 14.4, and never the private __ulock calls (T101).
 * Older systems park on a condition variable chosen by address.
 */
#include "prim.h"

#include <os/clock.h>
#include <os/os_sync_wait_on_address.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>
#include <time.h>

#include "errors.h"
#include "tuning.h"

static const int64_t ns_per_s = 1000000000;

/* ---- Before 14.4 --------------------------------------------------------------------------------------- */

typedef struct bucket {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} bucket_t;

static bucket_t buckets[NTH__PARK_BUCKETS];
static pthread_once_t buckets_once = PTHREAD_ONCE_INIT;

static void init_buckets(void) {
  for (int i = 0; i < NTH__PARK_BUCKETS; i++) {
    pthread_mutex_init(&buckets[i].mutex, NULL);
    pthread_cond_init(&buckets[i].changed, NULL);
  }
}

static bucket_t *bucket_of(_Atomic uint32_t *word) {
  pthread_once(&buckets_once, init_buckets);
  return &buckets[(uintptr_t)word / NTH__CACHE_LINE % NTH__PARK_BUCKETS];
}

static void park_in_bucket(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
  bucket_t *bucket = bucket_of(word);
  int64_t wait_ns = timeout_ns < NTH__LONGEST_BUCKET_NS ? timeout_ns : NTH__LONGEST_BUCKET_NS;
  struct timespec wait = {wait_ns / ns_per_s, wait_ns % ns_per_s};
  pthread_mutex_lock(&bucket->mutex);
  /* The waker changes the word before it takes the mutex: either this load sees the change, or the broadcast
   * comes after the wait has started. */
  if (atomic_load_explicit(word, memory_order_acquire) == expected) {
    pthread_cond_timedwait_relative_np(&bucket->changed, &bucket->mutex, &wait);
  }
  pthread_mutex_unlock(&bucket->mutex);
}

static void unpark_bucket(_Atomic uint32_t *word) {
  bucket_t *bucket = bucket_of(word);
  pthread_mutex_lock(&bucket->mutex);
  pthread_mutex_unlock(&bucket->mutex);
  pthread_cond_broadcast(&bucket->changed); /* other words share the bucket */
}

/* ---- The door ------------------------------------------------------------------------------------------ */

int nth__park(_Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns) {
  int64_t left = deadline_ns == NTH__FOREVER ? NTH__FOREVER : deadline_ns - nth__now_ns();
  if (left <= 0) {
    return -ETIMEDOUT;
  }
  if (__builtin_available(macOS 14.4, *)) {
    void *address = (void *)word;
    if (deadline_ns == NTH__FOREVER) {
      os_sync_wait_on_address(address, expected, sizeof *word, OS_SYNC_WAIT_ON_ADDRESS_NONE);
      return 0;
    }
    int result = os_sync_wait_on_address_with_timeout(
        address, expected, sizeof *word, OS_SYNC_WAIT_ON_ADDRESS_NONE, OS_CLOCK_MACH_ABSOLUTE_TIME,
        (uint64_t)left);
    /* Not trusted to be never early. What errno says makes no difference: the deadline decides. */
    return result == -1 && nth__now_ns() >= deadline_ns ? -ETIMEDOUT : 0;
  }
  park_in_bucket(word, expected, left);
  return nth__now_ns() >= deadline_ns ? -ETIMEDOUT : 0;
}

void nth__unpark(_Atomic uint32_t *word) {
  if (__builtin_available(macOS 14.4, *)) {
    os_sync_wake_by_address_any((void *)word, sizeof *word, OS_SYNC_WAKE_BY_ADDRESS_NONE);
  } else {
    unpark_bucket(word);
  }
}

int64_t nth__now_ns(void) {
  return (int64_t)clock_gettime_nsec_np(CLOCK_UPTIME_RAW); /* mach_absolute_time in nanoseconds */
}

int32_t nth_usable_cpus(void) {
  int32_t count = 0;
  size_t size = sizeof count;
  return sysctlbyname("hw.activecpu", &count, &size, NULL, 0) == 0 && count > 0 ? count : 1;
}

int32_t nth__current_cpu(void) {
  return -1; /* no public call */
}

void nth__yield(void) {
  sched_yield();
}

int32_t nth_process_barrier(void) {
  return -ENOSYS;
}

int32_t nth_thread_nice_offset(void) {
  return 0; /* a new thread inherits no priority here */
}

int32_t nth_thread_reset_inherited(void) {
  return 0;
}

int32_t nth_thread_set_nice(int32_t nice) {
  if (nice < -20 || nice > 19) {
    return -EINVAL;
  }
  return nice == 0 ? 0 : -EPERM; /* nice values belong to processes here */
}

int32_t nth_thread_set_affinity(const int32_t *processors, int32_t count) {
  (void)processors;
  (void)count;
  return -ENOSYS;
}

static void *run_thread(void *argument) {
  nth__thread_t *thread = argument;
  thread->run(thread->argument);
  return NULL;
}

int nth__thread_start(nth__thread_t *thread, void (*run)(void *argument), void *argument) {
  thread->run = run;
  thread->argument = argument;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t id;
  int error = pthread_create(&id, NULL, run_thread, thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) {
    thread->handle = (uintptr_t)id;
  }
  return error == 0 ? 0 : -EAGAIN;
}

void nth__thread_join(nth__thread_t *thread) {
  pthread_join((pthread_t)thread->handle, NULL);
}

void *nth__alloc(size_t size) {
  void *memory = NULL;
  return posix_memalign(&memory, NTH__CACHE_LINE, size) == 0 ? memset(memory, 0, size) : NULL;
}

void nth__free(void *memory) {
  free(memory);
}
