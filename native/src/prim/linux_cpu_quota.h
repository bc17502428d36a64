/* SPDX-License-Identifier: MIT
 *
 * The control groups' CPU bandwidth limit, with the paths as parameters, for tests.
 */
#ifndef NTH__LINUX_CPU_QUOTA_H
#define NTH__LINUX_CPU_QUOTA_H

#include <stdint.h>

/* Thousandths of a CPU, INT32_MAX without a limit. membership: /proc/self/cgroup; mount: /sys/fs/cgroup. */
int32_t nth__cpu_quota_milli_in(const char *membership, const char *mount);

#endif
