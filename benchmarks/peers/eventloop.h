/* SPDX-License-Identifier: MIT
 *
 * What each contender of the event loop's rows can do. A function is one row's slice: so many iterations.
 */
#ifndef PEERS_EVENTLOOP_H
#define PEERS_EVENTLOOP_H

#include <stdint.h>

enum { ARMED_TIMERS = 100000, TIMER_SIZES = 4, LATENCIES = 4000 };

extern const int timer_sizes[TIMER_SIZES]; /* 1, 10, 100, 1,000 */

typedef struct loop_rows {
  void (*set_up)(int pipe_end);
  void (*create_destroy)(int64_t iterations);
  void (*wake_kernel)(int64_t iterations);
  void (*wake_kernel_busy)(int64_t iterations);
  void (*wake_own)(int64_t iterations);
  void (*add_remove)(int64_t iterations);
  void (*timers[TIMER_SIZES])(int64_t iterations);
  void (*churn)(int64_t iterations);

  /* A thread runs the loop; wake_other is called on another one, and latency_seen by the loop, on its thread. */
  void (*run_loop)(void *unused);
  void (*wake_other)(void);
} loop_rows_t;

extern const loop_rows_t native_rows, libuv_rows, floor_rows;

/* To be called on the loop's thread for each wake. Returns 0 when the loop is to end. */
int latency_seen(void);

#endif
