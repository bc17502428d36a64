/* SPDX-License-Identifier: MIT
 *
 * Measuring contenders side by side.
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICES = 41 };

static const int64_t slice_ns = 1000000;

static int64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t wall_ns(void) {
  return read_clock(CLOCK_MONOTONIC);
}

int64_t cpu_ns(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint32_t next_random(void) {
  static uint32_t x = 2463534242u;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

void require(int condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "not so: %s\n", what);
    exit(1);
  }
}

int by_size(const void *left, const void *right) {
  int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;
  return (l > r) - (l < r);
}

static int double_by_size(const void *left, const void *right) {
  double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

static double median(double *values) {
  qsort(values, SLICES, sizeof values[0], double_by_size);
  return values[SLICES / 2];
}

void print_row(const char *row, const char *contender, double ns, double cpu) {
  printf("{\"row\":\"native/%s\",\"contender\":\"%s\",\"ns\":%.1f,\"cpu_ns\":%.1f}\n", row, contender, ns, cpu);
  fflush(stdout);
}

/* Iterations that fill a slice; warms up on the way. */
static int64_t calibrate(const contender_t *contender) {
  for (int64_t iterations = 1;; iterations *= 2) {
    int64_t begin = wall_ns();
    contender->run(iterations);
    if (wall_ns() - begin >= slice_ns) {
      return iterations;
    }
  }
}

void measure(const char *row, const contender_t *contenders, int count) {
  static double wall[MOST_CONTENDERS][SLICES], cpu[MOST_CONTENDERS][SLICES];
  int64_t iterations[MOST_CONTENDERS];
  for (int i = 0; i < count; i++) {
    iterations[i] = contenders[i].run == NULL ? 0 : calibrate(&contenders[i]);
  }
  for (int slice = 0; slice < SLICES; slice++) {
    for (int turn = 0; turn < count; turn++) {
      int i = (slice + turn) % count; /* nobody always follows the same one */
      if (contenders[i].run != NULL) {
        int64_t cpu_begin = cpu_ns(), begin = wall_ns();
        contenders[i].run(iterations[i]);
        wall[i][slice] = (double)(wall_ns() - begin) / (double)iterations[i];
        cpu[i][slice] = (double)(cpu_ns() - cpu_begin) / (double)iterations[i];
      }
    }
  }
  for (int i = 0; i < count; i++) {
    if (contenders[i].run != NULL) {
      print_row(row, contenders[i].name, median(wall[i]), median(cpu[i]));
    }
  }
}
