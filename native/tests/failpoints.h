/* SPDX-License-Identifier: MIT
 *
 * Holding a thread in one of the windows of src/failpoint.h, and counting how often a window is passed.
 */
#ifndef TESTS_FAILPOINTS_H
#define TESTS_FAILPOINTS_H

#include "failpoint.h"
#include "harness.h"

/* Holds the first thread that arrives at the point from now on; others pass. One hold at a time. */
void hold_at(nth__failpoint_t point);

/* Waits until a thread is held. */
void await_held(void);

/* Releases it. */
void let_go(void);

/* The same, and holds the first thread that arrives at the next point, which may be the one let go. */
void let_go_and_hold_at(nth__failpoint_t point);

/* Threads that have passed the point since counting began. */
void count_points(void);
int64_t passed(nth__failpoint_t point);

#endif
