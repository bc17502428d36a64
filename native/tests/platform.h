/* SPDX-License-Identifier: MIT
 *
 * What the tests need of the operating system, apart from the library's own door, which is what they test:
 * platform_linux.c, platform_windows.c.
 */
#ifndef TESTS_PLATFORM_H
#define TESTS_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

/* ---- Time ---------------------------------------------------------------------------------------------- */

int64_t now_ns(void);
void sleep_ns(int64_t duration_ns);

/* How late a timer of 100 us may be on a quiet machine. Wine's timers know whole milliseconds. */
extern const int64_t timer_lateness_ns;

/* ---- Threads ------------------------------------------------------------------------------------------- */

typedef struct thread {
  uintptr_t id;
  void (*run)(void *argument);
  void *argument;
} thread_t;

/* Of thread only run and argument are set. */
bool create_thread(thread_t *thread);
bool end_of_thread(thread_t *thread, int64_t timeout_ns); /* joins; false: it still runs */
void forget_thread(thread_t *thread);

void give_cpu_away(void);

/* Pins the process's first thread, which is what counts as the process's affinity, to one CPU. */
void use_one_cpu(void);

/* How the calling thread is scheduled. */
typedef struct scheduling {
  int policy;
  int nice; /* or the mildest nice value that gives the thread the priority that it has */
  uint64_t cpus[16];
} scheduling_t;

scheduling_t own_scheduling(void);

/* A full fence on each processor that runs a thread of the process: what .NET's Interlocked.MemoryBarrierProcessWide is here.
 * False: the system has none. */
bool process_barrier(void);

/* Not NULL: process_barrier is known to do nothing, on this system of that name. */
const char *without_barrier(void);

/* ---- The process and its libraries --------------------------------------------------------------------- */

_Noreturn void end_process(int code);

/* NULL, and the reason is printed. */
void *load_library(const char *path);
void *find_symbol(void *library, const char *name);

#endif
