/* SPDX-License-Identifier: MIT
 *
 * The steps of the protocols, as their models name them. In a build with the preset chaos each may yield, spin or
 * sleep; in other builds the macro is empty. Failpoints are such steps, too.
 */
#ifndef NTH__CHAOS_H
#define NTH__CHAOS_H

#if defined(NTH_CHAOS)
#include <stdint.h>

#include "native_threading.h"

/* A point in the code. It gets a number, from 1 on, when a thread first passes it. */
typedef struct nth__chaos_point {
  const char *name;
  _Atomic uint32_t number;
} nth__chaos_point_t;

void nth__chaos_pass(nth__chaos_point_t *point);

#define nth__chaos(what)                                    \
  do {                                                      \
    static nth__chaos_point_t chaos_point = {.name = what}; \
    nth__chaos_pass(&chaos_point);                          \
  } while (0)

/* For the managed half, which has its own points and generators. */
NTH_API void nth_chaos_seed(uint64_t seed);
NTH_API void nth_chaos_sleep(int64_t nanoseconds);
#else
#define nth__chaos(what) ((void)0)
#endif

#endif
