/* SPDX-License-Identifier: MIT
 *
 * Faults of the operating system, made on purpose: the calls that the library makes are taken over (fault_doors.c), and fail
 * when their turn has come. In C tests the linker puts the doors in their place, and no code of the library changes; in a
 * .NET process they are a library of their own, loaded before all others, and mind the calls of libnativethreading alone.
 */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbered for tests/NativeThreading.Processes.Tests/Interop/SystemFaults.cs. */
typedef enum fault {
  NO_MEMORY = 0,        /* aligned_alloc finds none */
  NO_THREAD = 1,        /* pthread_create: EAGAIN */
  NO_DESCRIPTOR = 2,    /* epoll_create1, eventfd, open: EMFILE */
  NO_WATCH = 3,         /* epoll_ctl, but for removals: ENOSPC */
  PARK_FOR_NOTHING = 4, /* a futex wait returns at once: EINTR */
  WAKE_SWALLOWED = 5,   /* a futex wake wakes no thread */
  INTERRUPTED = 6,      /* epoll_wait, epoll_pwait2, read, write, dup3: EINTR */
  NO_PROC = 7,          /* open, fopen and readlink below /proc: ENOENT */
  FAULTS                /* how many there are */
} fault_t;

/* From now on the first-th call fails, and then every period-th; 0 for none, and for no more. Counts from 0 again. */
void set_fault(int32_t fault, int64_t first, int64_t period);

/* Calls since then, and how many of them failed. */
int64_t fault_calls(int32_t fault);
int64_t faults_made(int32_t fault);

/* For the doors: counts a call and says whether it is to fail. */
bool is_faulty(fault_t fault);

#endif
