/* SPDX-License-Identifier: MIT
 *
 * Measuring contenders side by side.
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

int64_t calibrate(work_t *work) {
  for (int64_t iterations = 1;; iterations *= 2) {
    int64_t begin = wall_ns();
    work(iterations);
    if (wall_ns() - begin >= slice_ns) {
      return iterations;
    }
  }
}

measured_t measure_slice(work_t *work, int64_t iterations) {
  int64_t cpu_begin = cpu_ns(), begin = wall_ns();
  work(iterations);
  int64_t wall = wall_ns() - begin;
  return (measured_t){(double)wall / (double)iterations, (double)(cpu_ns() - cpu_begin) / (double)iterations};
}

static int by_wall(const void *left, const void *right) {
  double l = ((const measured_t *)left)->ns, r = ((const measured_t *)right)->ns;
  return (l > r) - (l < r);
}

static int by_cpu(const void *left, const void *right) {
  double l = ((const measured_t *)left)->cpu_ns, r = ((const measured_t *)right)->cpu_ns;
  return (l > r) - (l < r);
}

measured_t median_of(measured_t *slices, int count) {
  measured_t median;
  qsort(slices, (size_t)count, sizeof slices[0], by_wall);
  median.ns = slices[count / 2].ns;
  qsort(slices, (size_t)count, sizeof slices[0], by_cpu);
  median.cpu_ns = slices[count / 2].cpu_ns;
  return median;
}

void print_row(const char *row, const char *contender, measured_t measured) {
  printf("{\"row\":\"%s\",\"contender\":\"%s\",\"ns\":%.1f,\"cpu_ns\":%.1f}\n",
         row, contender, measured.ns, measured.cpu_ns);
}
