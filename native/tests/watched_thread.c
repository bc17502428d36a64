/* SPDX-License-Identifier: MIT
 *
 * A thread to look at.
 */
#include "watched_thread.h"

#include <string.h>
#include <unistd.h>

void be_watched(void *argument) {
  watched_t *watched = argument;
  nth_thread_probe_t *probe;
  CHECK_EQ(nth_thread_probe_create(&probe), 0);
  atomic_store(&watched->probe, probe);
  watched->act(watched);
}

void start_watched(watched_t *watched, void (*act)(watched_t *watched)) {
  memset(watched, 0, sizeof *watched);
  watched->act = act;
  pthread_mutex_init(&watched->mutex, NULL);
  CHECK_EQ(pipe(watched->pipe), 0);
  start_thread(&watched->thread, be_watched, watched);
  UNTIL(atomic_load(&watched->probe) != NULL);
}

void end_watched(watched_t *watched) {
  atomic_store(&watched->stop, true);
  CHECK_EQ(write(watched->pipe[1], "x", 1), 1);
  join_thread(&watched->thread);
  nth_thread_probe_destroy(atomic_load(&watched->probe));
  close(watched->pipe[0]);
  close(watched->pipe[1]);
}

void spin_until_stopped(watched_t *watched) {
  while (!atomic_load(&watched->stop)) {
  }
}
