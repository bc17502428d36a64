/* SPDX-License-Identifier: MIT
 *
 * The rows that need a loop on a thread of its own: waking it, and leaving it alone.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "eventloop.h"
#include "native_threading.h"

enum { MOST_WAKES = 4000 };

static pthread_t waker;
static _Atomic int64_t woken_at; /* 0: the last wake has been seen */
static int64_t latencies[MOST_WAKES];
static int wakes_left;

int latency_seen(void) {
  require(!pthread_equal(pthread_self(), waker), "two threads (T120)");
  int64_t at = atomic_load(&woken_at);
  if (at != 0) { /* a loop may come twice for one wake */
    latencies[--wakes_left] = wall_ns() - at;
    atomic_store(&woken_at, 0);
  }
  return wakes_left > 0;
}

static void *run_thread(void *contender) {
  ((const contender_t *)contender)->run_loop();
  return NULL;
}

static void spin_until(int64_t time) {
  while (wall_ns() < time) {
  }
}

void cross_thread(const contender_t *contender, int wakes) {
  static const int64_t settle_ns = 60000; /* until the other one sleeps */
  require(wakes > 0 && wakes <= MOST_WAKES, "room for the latencies");
  pthread_t thread;
  waker = pthread_self();
  wakes_left = wakes;
  require(pthread_create(&thread, NULL, run_thread, (void *)contender) == 0, "thread");
  int64_t cpu = cpu_ns();
  int64_t settling = 0;
  for (int i = 0; i < wakes; i++) {
    int64_t begin = cpu_ns();
    spin_until(wall_ns() + settle_ns);
    settling += cpu_ns() - begin;
    atomic_store(&woken_at, wall_ns());
    contender->wake_other();
    while (atomic_load(&woken_at) != 0) {
    }
  }
  cpu = cpu_ns() - cpu - settling;
  pthread_join(thread, NULL);
  qsort(latencies, (size_t)wakes, sizeof latencies[0], by_size);
  measured_t p50 = {(double)latencies[wakes / 2], (double)cpu / wakes};
  measured_t p99 = {(double)latencies[wakes * 99 / 100], (double)cpu / wakes};
  print_row("wake/cross-thread/p50", contender->name, p50);
  print_row("wake/cross-thread/p99", contender->name, p99);
}

static nth_event_loop_t *idle_loop;

static void *sleep_on(void *unused) {
  static nth_event_t events[64];
  require(nth_event_loop_poll(idle_loop, events, 64, -1, 0) == 1, "woken");
  return unused;
}

static int64_t calls_in(const nth_event_loop_stats_t *stats) {
  return stats->waits + stats->controls + stats->writes + stats->reads;
}

void idle(int seconds, int pipe_end) {
  pthread_t thread;
  nth_event_loop_stats_t before, after;
  require(nth_event_loop_create(&idle_loop, NULL) == 0, "created");
  require(nth_event_loop_add(idle_loop, pipe_end, NTH_READY_READ, 1) >= 0, "added");
  int64_t timer = nth_event_loop_timer_create(idle_loop, 2);
  require(nth_event_loop_timer_arm(idle_loop, timer, wall_ns() + 3600000000000LL) == 0, "armed");
  require(pthread_create(&thread, NULL, sleep_on, NULL) == 0, "thread");
  do {
    usleep(10000);
    nth_event_loop_stats(idle_loop, &before);
  } while (before.waits == 0);
  int64_t cpu = cpu_ns();
  sleep((unsigned)seconds);
  cpu = cpu_ns() - cpu;
  nth_event_loop_stats(idle_loop, &after);
  printf("{\"row\":\"idle\",\"contender\":\"nativethreading\",\"seconds\":%d,\"system_calls\":%lld,\"cpu_ns\":%lld}\n",
         seconds, (long long)(calls_in(&after) - calls_in(&before)), (long long)cpu);
  nth_event_loop_wake(idle_loop, 0);
  pthread_join(thread, NULL);
  nth_event_loop_destroy(idle_loop);
}
