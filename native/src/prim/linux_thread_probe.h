/* SPDX-License-Identifier: MIT
 *
 * The kernel's line about a thread, with its path and its text as parameters, for tests.
 */
#ifndef NTH__LINUX_THREAD_PROBE_H
#define NTH__LINUX_THREAD_PROBE_H

#include "native_threading.h"

struct nth_thread_probe {
  int32_t thread;
  int32_t refusal; /* 0, or -errno: why nothing of it in /proc can ever be read */
  char path[44];   /* of the thread in /proc: "/proc/<process>/task/<thread>" */
};

/* As nth_thread_probe_create, into that memory and with another directory instead of /proc. */
void nth__probe_open_at(nth_thread_probe_t *probe, const char *proc);

/* The delay in a text of /proc/T/schedstat; -ENOSYS if the kernel keeps no account, -EINVAL if it is none. */
int64_t nth__delay_in_schedstat(const char *line);

/* The number of waits in a text of /proc/T/status; -ENOSYS if it has none, -EINVAL if what it has is no number. */
int64_t nth__waits_in_status(const char *text);

/* The run state in a line of /proc/T/stat, NTH_THREAD_*; -EINVAL if it is none. */
int nth__state_in_stat(const char *line);

#endif
