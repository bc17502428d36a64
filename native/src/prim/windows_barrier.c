/* SPDX-License-Identifier: MIT
 *
 * Windows: a barrier for Wine, whose FlushProcessWriteBuffers is an empty function, at least in Wine 8. Threads that rely on it miss
 * each other there (native/tests/test_process_barrier.c).
 *
 * The calling thread runs once on each processor of the process. A thread that ran there before has passed the scheduler, which is a
 * full fence; a thread that moves meanwhile from a processor that is still to be visited passes it as well. Processors beyond the
 * first 64 are in groups of their own, which Wine does not have.
 */
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif

#include "prim.h"

#include <stdbool.h>
#include <windows.h>

#include "errors.h"

/* Only Wine's ntdll tells a version of Wine. */
static bool runs_in_wine(void) {
  enum { NOT_ASKED, NO, YES };
  static _Atomic int answer; /* every writer stores the same value */
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == NOT_ASKED) {
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    known = ntdll != NULL && GetProcAddress(ntdll, "wine_get_version") != NULL ? YES : NO;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == YES;
}

int32_t nth_process_barrier(void) {
  if (!runs_in_wine()) {
    return -ENOSYS;
  }
  DWORD_PTR process = 0, system = 0, before = 0;
  GetProcessAffinityMask(GetCurrentProcess(), &process, &system);
  atomic_thread_fence(memory_order_seq_cst);
  for (DWORD_PTR left = process; left != 0; left &= left - 1) {
    DWORD_PTR last = SetThreadAffinityMask(GetCurrentThread(), left & (~left + 1));
    if (before == 0) {
      before = last; /* 0: refused, because the process has lost this processor since */
    }
  }
  if (before != 0) {
    SetThreadAffinityMask(GetCurrentThread(), before);
  }
  atomic_thread_fence(memory_order_seq_cst);
  return 0;
}
