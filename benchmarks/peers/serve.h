/* SPDX-License-Identifier: MIT
 *
 * A peer that measures on request, so that a table can run it in turn with the other contenders.
 *
 * A request is a line "ROW ITERATIONS" on standard input, or both as arguments; the answer is one JSON object in one line:
 * wall time, CPU time and context switches of the whole process per iteration, and how many items were executed.
 */
#ifndef PEERS_SERVE_H
#define PEERS_SERVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "measure.h"

/* Does a row's work so many times and returns how many items were executed. Between these two calls, in this order,
 * lies what is timed. */
typedef int64_t (*serve_run_t)(const char *row, int64_t iterations);

void clock_start(void);
void clock_stop(void);

/* Whether `row` is `prefix` followed by a number, which is stored. */
int row_is(const char *row, const char *prefix, int64_t *number);

/* Answers requests until the input ends; what main returns. */
int serve(const char *contender, serve_run_t run, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
