/* SPDX-License-Identifier: MIT
 *
 * A clock that leaps ahead, as it does for a process that was stopped, and never back: the library's clock and its deadlines;
 * the tests' own clock continues as before.
 */
#ifndef TESTS_CLOCK_DOOR_H
#define TESTS_CLOCK_DOOR_H

#include <stdint.h>

/* Leaps at once. */
void leap(int64_t by_ns);

/* Leaps at every reads-th reading from now on; 0 for no more. */
void leap_at_every(int64_t reads, int64_t by_ns);

#endif
