/* SPDX-License-Identifier: MIT
 *
 * What each contender of the event loop's rows can do.
 */
#ifndef PEERS_EVENTLOOP_H
#define PEERS_EVENTLOOP_H

#include <stdint.h>

#include "measure.h"

typedef enum row {
  CREATE_DESTROY,
  CREATE_DESTROY_THREAD,
  WAKE_EVENTFD,
  WAKE_EVENTFD_BUSY,
  WAKE_OWN_THREAD,
  PIPE_ADD_DEL,
  TIMER_1,
  TIMER_10,
  TIMER_100,
  TIMER_1000,
  TIMER_ARMED,
  OFFLOAD_1,
  OFFLOAD_10,
  OFFLOAD_100,
  OFFLOAD_1000,
  ROWS,
} row_t;

enum { ARMED_TIMERS = 100000 };

typedef struct contender {
  const char *name;
  void (*set_up)(int pipe_end);
  work_t *rows[ROWS]; /* NULL: does not take part */

  /* A thread runs the loop; wake_other is called on another one, and latency_seen by the loop, on its thread. */
  void (*run_loop)(void);
  void (*wake_other)(void);
} contender_t;

extern const contender_t native_contender, libuv_contender, floor_contender;

/* To be called on the loop's thread for each wake. Returns 0 when the loop is to end. */
int latency_seen(void);

/* Prints the latency of waking a contender's sleeping loop: two lines, p50 and p99. */
void cross_thread(const contender_t *contender, int wakes);

/* Prints the system calls of a loop of this library, asleep for so long. */
void idle(int seconds, int pipe_end);

#endif
