/* SPDX-License-Identifier: MIT
 *
 * What is used of os/clock.h.
 */
#ifndef STUB_OS_CLOCK_H
#define STUB_OS_CLOCK_H

#include <stdint.h>

typedef enum os_clockid : uint32_t {
  OS_CLOCK_MACH_ABSOLUTE_TIME = 32
} os_clockid_t;

#endif
