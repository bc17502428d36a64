/* SPDX-License-Identifier: MIT
 *
 * What is used of time.h.
 */
#ifndef STUB_TIME_H
#define STUB_TIME_H

#include <stdint.h>

struct timespec {
  long tv_sec;
  long tv_nsec;
};

typedef enum {
  CLOCK_UPTIME_RAW = 8
} clockid_t;

uint64_t clock_gettime_nsec_np(clockid_t clock);

#endif
