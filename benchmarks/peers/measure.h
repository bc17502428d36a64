/* SPDX-License-Identifier: MIT
 *
 * Measuring contenders side by side: short slices in turn, the median of each one's.
 */
#ifndef PEERS_MEASURE_H
#define PEERS_MEASURE_H

#include <stdint.h>

/* So many iterations of a row's work. */
typedef void work_t(int64_t iterations);

typedef struct measured {
  double ns;
  double cpu_ns; /* of the process: all threads */
} measured_t;

int64_t wall_ns(void);
int64_t cpu_ns(void); /* of the process: all threads */
uint32_t next_random(void);

/* Ends the process: a row that measures something else than it says is worse than none. */
void require(int condition, const char *what);

/* Iterations that fill a slice; warms up on the way. */
int64_t calibrate(work_t *work);

/* One slice: wall and CPU time per iteration. */
measured_t measure_slice(work_t *work, int64_t iterations);

/* Of each of the two by itself. Reorders the slices. */
measured_t median_of(measured_t *slices, int count);

void print_row(const char *row, const char *contender, measured_t measured);
int by_size(const void *left, const void *right); /* of int64_t */

#endif
