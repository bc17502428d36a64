/* SPDX-License-Identifier: MIT
 *
 * A histogram of times: 64 buckets for each power of two, so a quantile is right to 1.6 %.
 */
#ifndef PEERS_HISTOGRAM_H
#define PEERS_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_FINE = 64, HISTOGRAM_BUCKETS = 58 * HISTOGRAM_FINE };

typedef struct histogram {
  int64_t count, buckets[HISTOGRAM_BUCKETS];
} histogram_t;

/* Below 128 a bucket is one value; above, the six bits after the leading one choose among 64. */
static inline int histogram_bucket(uint64_t value) {
  int shift = value < 2 * HISTOGRAM_FINE ? 0 : 57 - __builtin_clzll(value);
  return shift * HISTOGRAM_FINE + (int)(value >> shift);
}

static inline void histogram_add(histogram_t *histogram, int64_t ns) {
  int bucket = histogram_bucket(ns < 0 ? 0 : (uint64_t)ns);
  histogram->buckets[bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1]++;
  histogram->count++;
}

/* The smallest value of the bucket that holds the quantile. */
static inline int64_t histogram_quantile(const histogram_t *histogram, double quantile) {
  int64_t before = (int64_t)(quantile * (double)histogram->count);
  int bucket = 0;
  for (int64_t seen = histogram->buckets[0]; seen <= before && bucket < HISTOGRAM_BUCKETS - 1;) {
    seen += histogram->buckets[++bucket];
  }
  int shift = bucket < 2 * HISTOGRAM_FINE ? 0 : bucket / HISTOGRAM_FINE - 1;
  return (int64_t)(bucket - shift * HISTOGRAM_FINE) << shift;
}

#endif
