/* SPDX-License-Identifier: MIT
 *
 * The least that handing items to another thread costs: one worker, one futex, nothing else. A producer hands over one
 * item at a fixed interval; printed is the CPU time of the process per item, above that of a producer that hands over
 * nothing, and the context switches.
 *
 * usage: futex_worker <items per second> <seconds>
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

static const int64_t ns_per_s = 1000000000, segment_ns = 500000000;

static _Atomic uint32_t queued; /* the futex word: items handed over so far */
static _Atomic uint32_t parked;
static _Atomic int64_t ran;

static void *work(void *unused) {
  (void)unused;
  uint32_t taken = 0;
  for (;;) {
    uint32_t seen = atomic_load(&queued);
    for (; taken != seen; taken++) {
      atomic_fetch_add(&ran, 1); /* the item */
    }
    atomic_store(&parked, 1);
    if (atomic_load(&queued) == seen) {
      syscall(SYS_futex, &queued, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
    atomic_store(&parked, 0);
  }
  return NULL;
}

static void hand_over(void) {
  atomic_fetch_add(&queued, 1);
  if (atomic_load(&parked) != 0) {
    syscall(SYS_futex, &queued, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static void sleep_until(int64_t time) {
  struct timespec until = {time / ns_per_s, time % ns_per_s};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

/* One segment; returns its CPU time. */
static int64_t segment(int64_t interval, int with_items) {
  int64_t items = segment_ns / interval, begin_cpu = cpu_ns(), next = wall_ns();
  for (int64_t i = 0; i < items; i++) {
    next += interval;
    sleep_until(next);
    if (with_items) {
      hand_over();
    }
  }
  return cpu_ns() - begin_cpu;
}

static long switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

int main(int argc, char **argv) {
  require(argc == 3, "usage: futex_worker <items per second> <seconds>");
  int64_t interval = ns_per_s / atoi(argv[1]);
  int64_t segments = atoi(argv[2]) * ns_per_s / (2 * segment_ns);
  pthread_t thread;
  require(pthread_create(&thread, NULL, work, NULL) == 0, "a thread");
  segment(interval, 1);
  sleep_until(wall_ns() + ns_per_s / 100); /* the last item has run, too */
  int64_t above = 0, before = atomic_load(&ran);
  long extra_switches = 0;
  for (int64_t i = 0; i < segments; i++) {
    long begin = switches();
    above -= segment(interval, 0);
    long middle = switches();
    above += segment(interval, 1);
    extra_switches += switches() - middle - (middle - begin);
  }
  sleep_until(wall_ns() + ns_per_s / 100);
  int64_t items = segments * (segment_ns / interval);
  require(atomic_load(&ran) - before == items, "every item ran");
  double ns = (double)above / (double)items;
  printf("%f %f %f\n", ns / 1000, ns, (double)extra_switches / (double)items);
  return 0;
}
