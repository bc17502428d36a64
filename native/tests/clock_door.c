/* SPDX-License-Identifier: MIT
 *
 * The clock behind clock_door.h. The linker has all readings come here.
 */
#include "clock_door.h"

#include <stdatomic.h>

#include "prim/prim.h"

static _Atomic int64_t ahead_ns, every, by, readings;

void leap(int64_t by_ns) {
  atomic_fetch_add(&ahead_ns, by_ns);
}

void leap_at_every(int64_t reads, int64_t by_ns) {
  atomic_store(&by, by_ns);
  atomic_store(&every, reads);
}

int64_t __real_nth__now_ns(void);
int __real_nth__park(_Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns);
int64_t __wrap_nth__now_ns(void);
int __wrap_nth__park(_Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns);

int64_t __wrap_nth__now_ns(void) {
  int64_t reads = atomic_load(&every);
  if (reads > 0 && (atomic_fetch_add(&readings, 1) + 1) % reads == 0) {
    leap(atomic_load(&by));
  }
  return __real_nth__now_ns() + atomic_load(&ahead_ns);
}

/* The kernel's clock has not leapt. */
int __wrap_nth__park(_Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns) {
  int64_t ahead = atomic_load(&ahead_ns);
  int64_t deadline = deadline_ns == NTH__FOREVER ? NTH__FOREVER : deadline_ns > ahead ? deadline_ns - ahead : 0;
  return __real_nth__park(word, expected, deadline);
}
