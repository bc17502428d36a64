/* SPDX-License-Identifier: MIT
 *
 * Windows, and Wine.
 */
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif

#include "platform.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

const int64_t timer_lateness_ns = 3000000;

static HANDLE handle_of(const thread_t *thread) {
  return (HANDLE)thread->id; /* NOLINT(performance-no-int-to-ptr) */
}

int64_t now_ns(void) {
  LARGE_INTEGER frequency, now;
  QueryPerformanceFrequency(&frequency);
  QueryPerformanceCounter(&now);
  int64_t per_s = frequency.QuadPart;
  return now.QuadPart / per_s * 1000000000 + now.QuadPart % per_s * 1000000000 / per_s;
}

void sleep_ns(int64_t duration_ns) {
  int64_t end = now_ns() + duration_ns;
  for (int64_t left = duration_ns; left > 0; left = end - now_ns()) {
    Sleep((DWORD)((left + 999999) / 1000000));
  }
}

static DWORD WINAPI run_thread(void *argument) {
  thread_t *thread = argument;
  thread->run(thread->argument);
  return 0;
}

bool create_thread(thread_t *thread) {
  HANDLE handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
  thread->id = (uintptr_t)handle;
  return handle != NULL;
}

bool end_of_thread(thread_t *thread, int64_t timeout_ns) {
  if (WaitForSingleObject(handle_of(thread), (DWORD)(timeout_ns / 1000000)) != WAIT_OBJECT_0) {
    return false;
  }
  CloseHandle(handle_of(thread));
  return true;
}

void forget_thread(thread_t *thread) {
  CloseHandle(handle_of(thread));
}

void give_cpu_away(void) {
  SwitchToThread();
}

void use_one_cpu(void) {
  DWORD_PTR process = 0, system = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &process, &system)
      || !SetProcessAffinityMask(GetCurrentProcess(), process & (~process + 1))) {
    fprintf(stderr, "affinity: error %lu\n", GetLastError());
    end_process(1);
  }
}

static int nice_of(int priority) {
  return priority >= THREAD_PRIORITY_HIGHEST   ? -10
         : priority > THREAD_PRIORITY_NORMAL   ? -1
         : priority == THREAD_PRIORITY_NORMAL  ? 0
         : priority > THREAD_PRIORITY_LOWEST   ? 1
                                               : 10;
}

scheduling_t own_scheduling(void) {
  scheduling_t own;
  memset(&own, 0, sizeof own);
  GROUP_AFFINITY affinity;
  memset(&affinity, 0, sizeof affinity);
  if (!GetThreadGroupAffinity(GetCurrentThread(), &affinity)) {
    fprintf(stderr, "affinity: error %lu\n", GetLastError());
    end_process(1);
  }
  own.nice = nice_of(GetThreadPriority(GetCurrentThread()));
  own.cpus[0] = affinity.Mask;
  own.cpus[1] = affinity.Group;
  return own;
}

bool process_barrier(void) {
  FlushProcessWriteBuffers();
  return true;
}

/* Wine 8 has FlushProcessWriteBuffers as an empty function. Only Wine's ntdll tells a version of Wine. */
const char *without_barrier(void) {
  typedef const char *(CDECL * version_of_wine_t)(void);
  version_of_wine_t version;
  FARPROC found = GetProcAddress(GetModuleHandleA("ntdll.dll"), "wine_get_version");
  memcpy(&version, &found, sizeof version);
  return version == NULL ? NULL : version();
}

void end_process(int code) {
  TerminateProcess(GetCurrentProcess(), (UINT)code); /* other threads may still run */
  for (;;) {
  }
}

void *load_library(const char *path) {
  HMODULE library = LoadLibraryA(path);
  if (library == NULL) {
    fprintf(stderr, "%s: error %lu\n", path, GetLastError());
  }
  return library;
}

void *find_symbol(void *library, const char *name) {
  FARPROC symbol = GetProcAddress(library, name);
  void *address;
  _Static_assert(sizeof symbol == sizeof address, "the address of a function");
  memcpy(&address, &symbol, sizeof address);
  return address;
}
