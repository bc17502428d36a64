/* SPDX-License-Identifier: MIT
 *
 * Windows, from 8 on. The tests run under Wine: that shows what these calls do, not what they cost.
 *
 * WaitOnAddress takes whole milliseconds and spins before it blocks, which cannot be turned off (T18). A limit on a job's
 * share of the processors is not read.
 */
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif

#include "prim.h"

#include <malloc.h>
#include <stdbool.h>
#include <string.h>
#include <windows.h>

#include "errors.h"

static const int64_t ns_per_s = 1000000000, ns_per_ms = 1000000;

int nth__park(_Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns) {
  DWORD timeout_ms = INFINITE;
  if (deadline_ns != NTH__FOREVER) {
    int64_t left = deadline_ns - nth__now_ns();
    if (left <= 0) {
      return -ETIMEDOUT;
    }
    /* Rounded up: rounding down would poll (T81). A wait too long for a DWORD is made of several. */
    int64_t ms = left / ns_per_ms + (left % ns_per_ms != 0);
    timeout_ms = ms < INT32_MAX ? (DWORD)ms : INT32_MAX;
  }
  if (WaitOnAddress((volatile void *)word, &expected, sizeof expected, timeout_ms)) {
    return 0;
  }
  /* Not trusted to be never early. */
  return GetLastError() == ERROR_TIMEOUT && nth__now_ns() >= deadline_ns ? -ETIMEDOUT : 0;
}

void nth__unpark(_Atomic uint32_t *word) {
  WakeByAddressSingle((void *)word);
}

int64_t nth__now_ns(void) {
  static _Atomic int64_t frequency; /* every writer stores the same value */
  int64_t per_s = atomic_load_explicit(&frequency, memory_order_relaxed);
  LARGE_INTEGER value;
  if (per_s == 0) {
    QueryPerformanceFrequency(&value);
    per_s = value.QuadPart;
    atomic_store_explicit(&frequency, per_s, memory_order_relaxed);
  }
  QueryPerformanceCounter(&value);
  int64_t ticks = value.QuadPart;
  return ticks / per_s * ns_per_s + ticks % per_s * ns_per_s / per_s;
}

int32_t nth_usable_cpus(void) {
  DWORD_PTR process = 0, system = 0;
  int32_t count = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system)) {
    for (; process != 0; process &= process - 1) {
      count++;
    }
  }
  /* No mask at all: the process has threads in several groups of processors, so it is confined to none. */
  return count > 0 ? count : (int32_t)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}

int32_t nth__current_cpu(void) {
  return (int32_t)GetCurrentProcessorNumber();
}

void nth__yield(void) {
  SwitchToThread();
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
  int priority = nice <= -10 ? THREAD_PRIORITY_HIGHEST
                 : nice < 0 ? THREAD_PRIORITY_ABOVE_NORMAL
                 : nice == 0 ? THREAD_PRIORITY_NORMAL
                 : nice < 10 ? THREAD_PRIORITY_BELOW_NORMAL
                             : THREAD_PRIORITY_LOWEST;
  return SetThreadPriority(GetCurrentThread(), priority) ? 0 : -EPERM;
}

int32_t nth_thread_set_affinity(const int32_t *processors, int32_t count) {
  enum { GROUP = 64 };
  GROUP_AFFINITY affinity = {0};
  for (int32_t i = 0; i < count; i++) {
    if (processors[i] < 0 || processors[i] / GROUP != processors[0] / GROUP) {
      return -EINVAL;
    }
    affinity.Mask |= (KAFFINITY)1 << processors[i] % GROUP;
    affinity.Group = (WORD)(processors[i] / GROUP);
  }
  return count > 0 && SetThreadGroupAffinity(GetCurrentThread(), &affinity, NULL) ? 0 : -EINVAL;
}

static DWORD WINAPI run_thread(void *argument) {
  nth__thread_t *thread = argument;
  thread->run(thread->argument);
  return 0;
}

int nth__thread_start(nth__thread_t *thread, void (*run)(void *argument), void *argument) {
  thread->run = run;
  thread->argument = argument;
  HANDLE handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
  thread->handle = (uintptr_t)handle;
  return handle != NULL ? 0 : -EAGAIN;
}

void nth__thread_join(nth__thread_t *thread) {
  WaitForSingleObject((HANDLE)thread->handle, INFINITE);
  CloseHandle((HANDLE)thread->handle);
}

void *nth__alloc(size_t size) {
  void *memory = _aligned_malloc(size, NTH__CACHE_LINE);
  return memory == NULL ? NULL : memset(memory, 0, size);
}

void nth__free(void *memory) {
  _aligned_free(memory);
}
