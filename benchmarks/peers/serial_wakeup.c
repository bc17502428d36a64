/* SPDX-License-Identifier: MIT
 *
 * The rows of the serial-wakeup table on a condition-variable pool: submit an item that posts one semaphore, wait for
 * it, again and again. The first argument names the policy and the number of threads: broadcast-4, signal-one-16.
 */
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "condvar_pool.h"
#include "serve.h"

enum { TRIPS_BEFORE_THE_CLOCK = 200 };

static sem_t done;
static _Atomic int active = 1;
static int64_t executed;

static void signal_done(condvar_item_t *item) {
  (void)item;
  if (atomic_load(&active)) {
    executed++;
    sem_post(&done);
  }
}

static void repeat(int64_t trips) {
  static condvar_item_t item = {NULL, signal_done};
  for (int64_t i = 0; i < trips; i++) {
    condvar_pool_submit(&item);
    while (sem_wait(&done) != 0) {
    }
  }
}

static int64_t run(const char *row, int64_t iterations) {
  require(strcmp(row, "trips") == 0, "a row of the table");
  repeat(TRIPS_BEFORE_THE_CLOCK);
  executed = 0;
  clock_start();
  repeat(iterations);
  clock_stop();
  return executed;
}

int main(int argc, char **argv) {
  int64_t threads;
  require(argc >= 2, "a policy, for example signal-one-4");
  int one = row_is(argv[1], "signal-one-", &threads);
  require(one || row_is(argv[1], "broadcast-", &threads), "broadcast-N or signal-one-N");
  require(sem_init(&done, 0, 0) == 0, "semaphore");
  condvar_pool_start((int)threads, one ? WAKE_ONE : WAKE_ALL);
  usleep(100000); /* every thread waits before the first trip */
  return serve(argv[1], run, argc - 1, argv + 1);
}
