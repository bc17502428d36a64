/* SPDX-License-Identifier: MIT
 *
 * Requests and answers of a peer that measures on request.
 */
#include "serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct usage {
  int64_t wall, cpu, switches;
} usage_t;

static usage_t started, stopped;

static usage_t usage_now(void) {
  struct rusage of_process;
  getrusage(RUSAGE_SELF, &of_process);
  return (usage_t){wall_ns(), cpu_ns(), of_process.ru_nvcsw + of_process.ru_nivcsw};
}

void clock_start(void) {
  started = usage_now();
}

void clock_stop(void) {
  stopped = usage_now();
}

int row_is(const char *row, const char *prefix, int64_t *number) {
  size_t length = strlen(prefix);
  char *end = NULL;
  if (strncmp(row, prefix, length) != 0) {
    return 0;
  }
  *number = strtoll(row + length, &end, 10);
  return end != row + length && *end == '\0';
}

static void answer(const char *contender, serve_run_t run, const char *row, int64_t iterations) {
  require(iterations > 0, "at least one iteration");
  int64_t executed = run(row, iterations);
  double per = (double)iterations;
  printf("{\"row\":\"%s\",\"contender\":\"%s\",\"ns\":%.1f,\"cpu_ns\":%.1f,\"switches\":%.4f,\"executed\":%lld}\n", row,
         contender, (double)(stopped.wall - started.wall) / per, (double)(stopped.cpu - started.cpu) / per,
         (double)(stopped.switches - started.switches) / per, (long long)executed);
  fflush(stdout);
}

int serve(const char *contender, serve_run_t run, int argc, char **argv) {
  char row[64];
  long long iterations;
  if (argc == 3) {
    answer(contender, run, argv[1], atoll(argv[2]));
    return 0;
  }
  while (scanf("%63s %lld", row, &iterations) == 2) {
    answer(contender, run, row, iterations);
  }
  return 0;
}
