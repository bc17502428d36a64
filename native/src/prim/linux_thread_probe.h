/* SPDX-License-Identifier: MIT
 *
 * The kernel's line about a thread, with its place and its text as parameters, for tests.
 */
#ifndef NTH__LINUX_THREAD_PROBE_H
#define NTH__LINUX_THREAD_PROBE_H

#include "prim.h"

/* As nth__probe_open, with the file to read the run state from. */
int nth__probe_open_at(nth__probe_t *probe, const char *path);

/* The run state in a line of /proc/T/stat, NTH_THREAD_*; -EINVAL if it is none. */
int nth__state_in_stat(const char *line);

#endif
