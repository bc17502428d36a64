/* SPDX-License-Identifier: MIT
 *
 * Measuring contenders side by side: short slices in turn, the median of each one's.
 */
#ifndef PEERS_MEASURE_H
#define PEERS_MEASURE_H

#include <stdint.h>

typedef struct contender {
  const char *name;
  void (*run)(int64_t iterations); /* NULL: does not take part */
} contender_t;

enum { MOST_CONTENDERS = 4 };

int64_t wall_ns(void);
int64_t cpu_ns(void); /* of the process: all threads */
uint32_t next_random(void);

/* Ends the process: a row that measures something else than it says is worse than none. */
void require(int condition, const char *what);

/* Runs the contenders in turn and prints one line for each: medians of wall and CPU time, per iteration. */
void measure(const char *row, const contender_t *contenders, int count);

void print_row(const char *row, const char *contender, double ns, double cpu);
int by_size(const void *left, const void *right); /* of int64_t */

#endif
