/* SPDX-License-Identifier: MIT
 *
 * Linux: private futexes with absolute deadlines on CLOCK_MONOTONIC.
 */
#define _GNU_SOURCE

#include "prim.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "linux_old_glibc.h"

static const int64_t ns_per_s = 1000000000;

/* From linux/futex.h, which musl's compiler wrapper hides. */
enum {
  FUTEX_WAKE_PRIVATE_ = 1 | 128,
  FUTEX_WAIT_BITSET_PRIVATE_ = 9 | 128,
};

/* The kernel's 64-bit timespec, whatever time_t is (T21). */
struct timespec64 {
  int64_t seconds;
  int64_t nanoseconds;
};

#if defined(SYS_futex_time64)
static const long futex_call = SYS_futex_time64;
#else
static const long futex_call = SYS_futex;
#endif

int nth__park(_Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns) {
  struct timespec64 deadline = {deadline_ns / ns_per_s, deadline_ns % ns_per_s};
  struct timespec64 *until = deadline_ns == NTH__FOREVER ? NULL : &deadline;
  /* FUTEX_WAIT takes a relative time; WAIT_BITSET an absolute one, so that a retry needs no arithmetic. */
  long result = syscall(futex_call, word, FUTEX_WAIT_BITSET_PRIVATE_, expected, until, NULL, UINT32_MAX);
  /* EAGAIN (the word had changed) and EINTR are wakes for no reason, not timeouts. */
  return result == -1 && errno == ETIMEDOUT ? -ETIMEDOUT : 0;
}

void nth__unpark(_Atomic uint32_t *word) {
  /* EFAULT: the memory is gone already, which is as good as a success. */
  syscall(futex_call, word, FUTEX_WAKE_PRIVATE_, 1, NULL, NULL, 0);
}

int64_t nth__now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * ns_per_s + now.tv_nsec;
}

int32_t nth_usable_cpus(void) {
  /* The kernel refuses a mask that is shorter than its own. */
  for (size_t cpus = 1024; cpus <= 1024 * 1024; cpus *= 4) {
    size_t size = CPU_ALLOC_SIZE(cpus);
    cpu_set_t *mask = malloc(size); /* glibc's CPU_ALLOC calls a function that musl lacks */
    if (mask == NULL) {
      return 1;
    }
    /* That of the process: the calling thread may be pinned for reasons of its own. */
    int result = sched_getaffinity(getpid(), size, mask);
    int error = errno;
    int count = result == 0 ? CPU_COUNT_S(size, mask) : 0;
    free(mask);
    if (result == 0 || error != EINVAL) {
      return count > 0 ? (int32_t)count : 1;
    }
  }
  return 1;
}

int32_t nth__current_cpu(void) {
  return sched_getcpu();
}

void nth__yield(void) {
  sched_yield();
}

int32_t nth_process_barrier(void) {
  return -ENOSYS;
}

int32_t nth_thread_set_nice(int32_t nice) {
  if (nice < -20 || nice > 19) {
    return -EINVAL;
  }
  /* Nice values belong to threads on Linux, and PRIO_PROCESS takes a thread id. */
  id_t thread = (id_t)syscall(SYS_gettid);
  return setpriority(PRIO_PROCESS, thread, nice) == 0 ? 0 : -errno;
}

int32_t nth_thread_set_affinity(const int32_t *processors, int32_t count) {
  enum { WORD_BITS = 8 * sizeof(unsigned long), MASK_WORDS = 8192 / WORD_BITS };
  unsigned long mask[MASK_WORDS] = {0};
  if (count < 1) {
    return -EINVAL;
  }
  for (int32_t i = 0; i < count; i++) {
    if (processors[i] < 0 || processors[i] >= MASK_WORDS * (int32_t)WORD_BITS) {
      return -EINVAL;
    }
    mask[processors[i] / (int32_t)WORD_BITS] |= 1UL << processors[i] % (int32_t)WORD_BITS;
  }
  return syscall(SYS_sched_setaffinity, 0, sizeof mask, mask) == 0 ? 0 : -errno;
}

static void *run_thread(void *argument) {
  nth__thread_t *thread = argument;
  thread->run(thread->argument);
  return NULL;
}

int nth__thread_start(nth__thread_t *thread, void (*run)(void *argument), void *argument) {
  thread->run = run;
  thread->argument = argument;
  /* Signal handlers of the application are not to run on a thread it does not know. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t id;
  int error = pthread_create(&id, NULL, run_thread, thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) {
    thread->handle = (uintptr_t)id;
  }
  return -error;
}

void nth__thread_join(nth__thread_t *thread) {
  pthread_join((pthread_t)thread->handle, NULL);
}

void *nth__alloc(size_t size) {
  size_t rounded = (size + NTH__CACHE_LINE - 1) / NTH__CACHE_LINE * NTH__CACHE_LINE;
  void *memory = aligned_alloc(NTH__CACHE_LINE, rounded);
  return memory == NULL ? NULL : memset(memory, 0, rounded);
}

void nth__free(void *memory) {
  free(memory);
}

#if defined(__aarch64__)
/* When the library is loaded, what GCC adds to it for arm64 asks by this name whether the processor has better atomics. musl has the function by
 * its public name alone; and on arm64 NuGet takes this library for musl, too. */
unsigned long __getauxval(unsigned long type);

unsigned long __getauxval(unsigned long type) {
  return getauxval(type);
}
#endif
