/* SPDX-License-Identifier: MIT
 *
 * The native rows of the event loop's table, side by side with libuv: one JSON object a line.
 *
 *   eventloop [seconds of the idle row, 10 unless told]    all rows, interleaved
 *   eventloop --serve    reads requests "row contender [wakes or seconds]", one a line, and answers each with its
 *                        lines and an empty one. So that rows which are written in another language, and these, can
 *                        take turns in one run. Ends with its input.
 *
 *   create-destroy          create and destroy a loop
 *   create-destroy/thread   the same on a thread of its own, started and joined
 *   wake/eventfd            wake through the kernel, then poll with timeout 0, on one thread; this library's loop
 *                           knows of the wake from its state word and reads the descriptor without epoll_wait
 *   wake/eventfd-busy       the same with an unready pipe registered, at which the poll has to look now and then
 *   wake/own-thread         the same where the loop may know that it is awake
 *   wake/cross-thread       from before the wake to after the poll of a sleeping loop on another thread: p50 and p99
 *   pipe-add-del            register and remove a pipe; libuv defers the registration to a later run that never comes
 *   timer/1, timer-batch/N  arm N timers for now, run the loop once, all fire
 *   timer/armed-100000      arm one of 100,000 armed timers anew for a random time in about an hour
 *   offload/N               queue N works that do nothing to a pool of 4 threads, run the loop until all have completed
 *   idle                    system calls of a loop with a descriptor and a timer, asleep
 */
#include "eventloop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(HAVE_LIBUV)
#include <uv.h>
#endif

static const char *const row_names[ROWS] = {
  [CREATE_DESTROY] = "create-destroy",
  [CREATE_DESTROY_THREAD] = "create-destroy/thread",
  [WAKE_EVENTFD] = "wake/eventfd",
  [WAKE_EVENTFD_BUSY] = "wake/eventfd-busy",
  [WAKE_OWN_THREAD] = "wake/own-thread",
  [PIPE_ADD_DEL] = "pipe-add-del",
  [TIMER_1] = "timer/1",
  [TIMER_10] = "timer-batch/10",
  [TIMER_100] = "timer-batch/100",
  [TIMER_1000] = "timer-batch/1000",
  [TIMER_ARMED] = "timer/armed-100000",
  [OFFLOAD_1] = "offload/1",
  [OFFLOAD_10] = "offload/10",
  [OFFLOAD_100] = "offload/100",
  [OFFLOAD_1000] = "offload/1000",
};

static const contender_t *const contenders[] = {
  &native_contender,
#if defined(HAVE_LIBUV)
  &libuv_contender,
#endif
  &floor_contender,
};

enum { CONTENDERS = sizeof contenders / sizeof contenders[0], SLICES = 41, SLICES_A_REQUEST = 5 };

static int64_t iterations_of[ROWS][CONTENDERS]; /* of one slice; 0: not calibrated yet */

static measured_t slice(row_t row, int who) {
  work_t *work = contenders[who]->rows[row];
  if (iterations_of[row][who] == 0) {
    iterations_of[row][who] = calibrate(work);
  }
  return measure_slice(work, iterations_of[row][who]);
}

static void measure_all(row_t row) {
  measured_t slices[CONTENDERS][SLICES];
  for (int i = 0; i < SLICES; i++) {
    for (int turn = 0; turn < CONTENDERS; turn++) {
      int who = (i + turn) % CONTENDERS; /* no contender always follows the same one */
      if (contenders[who]->rows[row] != NULL) {
        slices[who][i] = slice(row, who);
      }
    }
  }
  for (int who = 0; who < CONTENDERS; who++) {
    if (contenders[who]->rows[row] != NULL) {
      print_row(row_names[row], contenders[who]->name, median_of(slices[who], SLICES));
    }
  }
  fflush(stdout);
}

static void measure_one(row_t row, int who) {
  measured_t slices[SLICES_A_REQUEST];
  slice(row, who); /* for the caches and the clock of a CPU that has slept */
  for (int i = 0; i < SLICES_A_REQUEST; i++) {
    slices[i] = slice(row, who);
  }
  print_row(row_names[row], contenders[who]->name, median_of(slices, SLICES_A_REQUEST));
}

static int index_of_row(const char *name) {
  int row = 0;
  while (row < ROWS && strcmp(row_names[row], name) != 0) {
    row++;
  }
  return row;
}

static int index_of_contender(const char *name) {
  int who = 0;
  while (who < CONTENDERS && strcmp(contenders[who]->name, name) != 0) {
    who++;
  }
  return who;
}

static void serve(int pipe_end) {
  char request[128], name[32], contender[32];
  while (fgets(request, sizeof request, stdin) != NULL) {
    int number = 0;
    require(sscanf(request, "%31s %31s %d", name, contender, &number) >= 2, "row and contender named");
    int row = index_of_row(name), who = index_of_contender(contender);
    require(who < CONTENDERS, "contender known");
    if (strcmp(name, "idle") == 0) {
      idle(number, pipe_end);
    } else if (strcmp(name, "wake/cross-thread") == 0) {
      cross_thread(contenders[who], number);
    } else {
      require(row < ROWS && contenders[who]->rows[row] != NULL, "contender takes part in this row");
      measure_one((row_t)row, who);
    }
    printf("\n");
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  int ends[2];
  require(pipe(ends) == 0, "pipe");
  require(unsetenv("UV_THREADPOOL_SIZE") == 0, "libuv's pool has its 4 threads");
#if defined(HAVE_LIBUV)
  printf("{\"libuv\":\"%s\"}\n", uv_version_string());
#else
  printf("{\"libuv\":null,\"note\":\"install it and build again: apt-get install -y libuv1-dev\"}\n");
#endif
  fflush(stdout);
  for (int who = 0; who < CONTENDERS; who++) {
    contenders[who]->set_up(ends[0]);
  }
  if (argc > 1 && strcmp(argv[1], "--serve") == 0) {
    serve(ends[0]);
    return 0;
  }
  for (int row = 0; row < ROWS; row++) {
    measure_all((row_t)row);
    if (row == WAKE_OWN_THREAD) {
      for (int who = 0; who < CONTENDERS; who++) {
        cross_thread(contenders[who], 4000);
      }
    }
  }
  idle(argc > 1 ? atoi(argv[1]) : 10, ends[0]);
  return 0;
}
