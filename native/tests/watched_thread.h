/* SPDX-License-Identifier: MIT
 *
 * A thread that does one thing until the test stops it, and what can be seen of it.
 */
#ifndef TESTS_WATCHED_THREAD_H
#define TESTS_WATCHED_THREAD_H

#include <pthread.h>

#include "harness.h"
#include "native_threading.h"

typedef struct watched {
  thread_t thread;
  void (*act)(struct watched *watched);
  nth_thread_probe_t *_Atomic probe;
  _Atomic bool stop;
  pthread_mutex_t mutex;
  int pipe[2];
} watched_t;

/* The thread's function: makes the probe, then acts. */
void be_watched(void *argument);

/* Returns when it can be seen. */
void start_watched(watched_t *watched, void (*act)(watched_t *watched));
void end_watched(watched_t *watched);

/* What it may do. */
void spin_until_stopped(watched_t *watched);

#endif
