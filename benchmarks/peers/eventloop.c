/* SPDX-License-Identifier: MIT
 *
 * The rows native/... of the event loop's table, side by side with libuv: one JSON object a line.
 * Usage: eventloop [seconds of the idle row, 10 unless told]
 *
 *   create-destroy        create and destroy a loop
 *   wake/eventfd          wake through the kernel, then poll with timeout 0, on one thread; this library's loop
 *                         knows of the wake from its state word and reads the descriptor without epoll_wait
 *   wake/eventfd-busy     the same with an unready pipe registered, at which the poll has to look now and then
 *   wake/own-thread       the same where the loop may know that it is awake
 *   wake/cross-thread     from before the wake to after the poll of a sleeping loop on another thread
 *   pipe-add-del          register and remove a pipe; libuv defers the registration to a later run that never comes
 *   timer/N               arm N timers for now, run the loop once, all fire
 *   timer/armed-100000    arm one of 100,000 armed timers anew for a random time in about an hour
 *   idle                  system calls of a loop with a descriptor and a timer, asleep
 */
#include "eventloop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"
#include "native_threading.h"

#if defined(HAVE_LIBUV)
#include <uv.h>
#endif

const int timer_sizes[TIMER_SIZES] = {1, 10, 100, 1000};

static const loop_rows_t *const contenders[] = {
  &native_rows,
#if defined(HAVE_LIBUV)
  &libuv_rows,
#endif
  &floor_rows,
};

static const char *const names[] = {
  "nativethreading",
#if defined(HAVE_LIBUV)
  "libuv",
#endif
  "floor",
};

enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

#define MEASURE(row, member)                                                          \
  do {                                                                                \
    contender_t all_[CONTENDERS];                                                     \
    for (int i_ = 0; i_ < CONTENDERS; i_++) {                                         \
      all_[i_] = (contender_t){names[i_], contenders[i_]->member};                    \
    }                                                                                 \
    measure(row, all_, CONTENDERS);                                                   \
  } while (0)

/* ---- Across threads ------------------------------------------------------------------------------------ */

static pthread_t waker;
static _Atomic int64_t woken_at; /* 0: the last wake has been seen */
static int64_t latencies[LATENCIES];
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

static void *run_thread(void *run) {
  ((const loop_rows_t *)run)->run_loop(NULL);
  return NULL;
}

static void spin_until(int64_t time) {
  while (wall_ns() < time) {
  }
}

static void cross_thread(int who) {
  static const int64_t settle_ns = 60000; /* until the other one sleeps */
  pthread_t thread;
  waker = pthread_self();
  wakes_left = LATENCIES;
  require(pthread_create(&thread, NULL, run_thread, (void *)contenders[who]) == 0, "thread");
  int64_t cpu = cpu_ns();
  int64_t settling = 0;
  for (int i = 0; i < LATENCIES; i++) {
    int64_t begin = cpu_ns();
    spin_until(wall_ns() + settle_ns);
    settling += cpu_ns() - begin;
    atomic_store(&woken_at, wall_ns());
    contenders[who]->wake_other();
    while (atomic_load(&woken_at) != 0) {
    }
  }
  cpu = cpu_ns() - cpu - settling;
  pthread_join(thread, NULL);
  qsort(latencies, LATENCIES, sizeof latencies[0], by_size);
  print_row("wake/cross-thread/p50", names[who], (double)latencies[LATENCIES / 2], (double)cpu / LATENCIES);
  print_row("wake/cross-thread/p99", names[who], (double)latencies[LATENCIES * 99 / 100], (double)cpu / LATENCIES);
}

/* ---- Idle ---------------------------------------------------------------------------------------------- */

static nth_event_loop_t *idle_loop;

static void *sleep_on(void *unused) {
  static nth_event_t events[64];
  require(nth_event_loop_poll(idle_loop, events, 64, -1, 0) == 1, "woken");
  return unused;
}

static void idle(int seconds, int pipe_end) {
  pthread_t thread;
  nth_event_loop_stats_t before, after;
  require(nth_event_loop_create(&idle_loop) == 0, "created");
  nth_event_loop_add(idle_loop, pipe_end, NTH_READY_READ, 1);
  int64_t timer = nth_event_loop_timer_create(idle_loop, 2);
  nth_event_loop_timer_arm(idle_loop, timer, wall_ns() + 3600000000000LL);
  require(pthread_create(&thread, NULL, sleep_on, NULL) == 0, "thread");
  do {
    usleep(10000);
    nth_event_loop_stats(idle_loop, &before);
  } while (before.waits == 0);
  int64_t cpu = cpu_ns();
  sleep((unsigned)seconds);
  cpu = cpu_ns() - cpu;
  nth_event_loop_stats(idle_loop, &after);
  long calls = (long)(after.waits + after.reads + after.writes + after.controls
                      - before.waits - before.reads - before.writes - before.controls);
  printf("{\"row\":\"native/idle\",\"contender\":\"nativethreading\",\"seconds\":%d,", seconds);
  printf("\"system_calls\":%ld,\"cpu_ns\":%ld}\n", calls, (long)cpu);
  nth_event_loop_wake(idle_loop, 0);
  pthread_join(thread, NULL);
  nth_event_loop_destroy(idle_loop);
}

int main(int argc, char **argv) {
  int ends[2];
  require(pipe(ends) == 0, "pipe");
#if defined(HAVE_LIBUV)
  printf("{\"libuv\":\"%s\"}\n", uv_version_string());
#else
  printf("{\"libuv\":null,\"note\":\"install it and build again: apt-get install -y libuv1-dev\"}\n");
#endif
  for (int i = 0; i < CONTENDERS; i++) {
    contenders[i]->set_up(ends[0]);
  }
  MEASURE("create-destroy", create_destroy);
  MEASURE("wake/eventfd", wake_kernel);
  MEASURE("wake/eventfd-busy", wake_kernel_busy);
  MEASURE("wake/own-thread", wake_own);
  for (int i = 0; i < CONTENDERS; i++) {
    cross_thread(i);
  }
  MEASURE("pipe-add-del", add_remove);
  for (int size = 0; size < TIMER_SIZES; size++) {
    char row[32];
    snprintf(row, sizeof row, "timer/%d", timer_sizes[size]);
    MEASURE(row, timers[size]);
  }
  MEASURE("timer/armed-100000", churn);
  idle(argc > 1 ? atoi(argv[1]) : 10, ends[0]);
  return 0;
}
