/* SPDX-License-Identifier: MIT
 *
 * What happens at a point of a hostile build: mostly nothing, sometimes a yield or a short spin, rarely a sleep. One
 * point at a time is attacked with long delays; every few milliseconds it is another one. In each such period some
 * threads are slow. That finds more than noise at all points. The same in C#: instrumentation.
 *
 * NTH_CHAOS_SEED repeats the decisions of each thread, NTH_CHAOS_INTENSITY is 100 usually and 0 for none, NTH_CHAOS_SLEEP_US is
 * the longest sleep, and NTH_CHAOS_POINT attacks the points whose names contain it all the time.
 *
 * A pass that does not delay makes no interlocked change: a point must not be the fence that the code forgot. All
 * accesses are relaxed: what they read only decides about delays.
 */
#include "chaos.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "prim/prim.h"

enum { SCALE = 4096, USUAL_ODDS = 32, SLOW_ODDS = 256, TARGET_ODDS = 1536 };

static const int64_t ns_per_us = 1000, ns_per_ms = 1000000;

/* From the environment. Several threads may read it at once, and all read the same. */
static _Atomic bool was_read;
static _Atomic uint64_t seed = 1;
static _Atomic uint32_t intensity = 100;
static _Atomic int64_t longest_sleep_us = 2000;
static const char *_Atomic chosen;

static _Atomic uint32_t threads, points, target, period;
static _Atomic int64_t period_end;

static _Thread_local struct {
  uint64_t state;
  int64_t next_sleep;
  uint32_t passes, period;
  bool slow;
} self;

#define GET(variable) atomic_load_explicit(&(variable), memory_order_relaxed)
#define SET(variable, value) atomic_store_explicit(&(variable), value, memory_order_relaxed)
#define NEXT(variable) (atomic_fetch_add_explicit(&(variable), 1, memory_order_relaxed) + 1)

static uint64_t mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

static uint32_t draw(uint32_t below) {
  self.state ^= self.state << 13;
  self.state ^= self.state >> 7;
  self.state ^= self.state << 17;
  return (uint32_t)((self.state >> 20) % below);
}

static void read_environment(void) {
  const char *value = getenv("NTH_CHAOS_SEED");
  if (value != NULL) {
    SET(seed, strtoull(value, NULL, 10));
  }
  value = getenv("NTH_CHAOS_INTENSITY");
  if (value != NULL) {
    SET(intensity, (uint32_t)strtoul(value, NULL, 10));
  }
  value = getenv("NTH_CHAOS_SLEEP_US");
  if (value != NULL) {
    SET(longest_sleep_us, strtoll(value, NULL, 10));
  }
  value = getenv("NTH_CHAOS_POINT");
  SET(chosen, value != NULL && *value != 0 ? value : NULL);
  SET(was_read, true);
}

static void turn_period(int64_t now) {
  int64_t end = GET(period_end);
  if (now < end) {
    return;
  }
  uint64_t drawn = mix(GET(seed) + GET(period));
  if (atomic_compare_exchange_strong_explicit(
          &period_end, &end, now + (ns_per_ms << (drawn % 7)), memory_order_relaxed, memory_order_relaxed)) {
    SET(target, 1 + (uint32_t)((drawn >> 8) % (GET(points) + 1))); /* + 1: sometimes no point is attacked */
    SET(period, GET(period) + 1);
  }
}

static bool is_target(nth__chaos_point_t *point) {
  uint32_t number = GET(point->number);
  if (number == 0) { /* if two threads number it at once, the last number stays */
    number = NEXT(points);
    SET(point->number, number);
  }
  const char *part = GET(chosen);
  return part != NULL ? strstr(point->name, part) != NULL : number == GET(target);
}

void nth_chaos_seed(uint64_t value) {
  read_environment();
  SET(seed, value);
}

void nth_chaos_sleep(int64_t nanoseconds) {
  _Atomic uint32_t never_woken = 0;
  int64_t deadline = nth__deadline(nanoseconds);
  while (nth__park(&never_woken, 0, deadline) == 0 && nth__now_ns() < deadline) {
  }
}

/* A thread sleeps for at most half of its time, or two thirds at the attacked point. */
static void sleep_some(bool targeted) {
  int64_t now = nth__now_ns();
  if (now < self.next_sleep) {
    nth__yield();
    return;
  }
  int64_t us = (int64_t)50 << draw(6);
  nth_chaos_sleep((us < GET(longest_sleep_us) ? us : GET(longest_sleep_us)) * ns_per_us);
  int64_t after = nth__now_ns();
  self.next_sleep = after + (after - now) / (targeted ? 2 : 1);
}

static void delay(bool targeted) {
  uint32_t kind = draw(16);
  if (targeted ? kind >= 4 : kind == 15) {
    sleep_some(targeted);
  } else if (kind < 8) {
    nth__yield();
  } else {
    int64_t end = nth__now_ns() + ((int64_t)10 << draw(8)); /* up to 1.3 us */
    while (nth__now_ns() < end) {
      nth__pause();
    }
  }
}

void nth__chaos_pass(nth__chaos_point_t *point) {
  if (!GET(was_read)) {
    read_environment();
  }
  if (self.state == 0) {
    self.state = mix(GET(seed) ^ (uint64_t)NEXT(threads) << 32) | 1;
  }
  if (self.passes++ % 16 == 0) {
    turn_period(nth__now_ns());
  }
  uint32_t now_period = GET(period);
  if (self.period != now_period) {
    self.period = now_period;
    self.slow = draw(4) == 0;
  }
  bool targeted = is_target(point);
  uint32_t odds = targeted ? TARGET_ODDS : self.slow ? SLOW_ODDS : USUAL_ODDS;
  if (draw(SCALE) < odds * GET(intensity) / 100) {
    delay(targeted);
  }
}
