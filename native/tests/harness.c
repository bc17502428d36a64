/* SPDX-License-Identifier: MIT
 *
 * Runs the test named on the command line, or all of the program.
 */
#include "harness.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static test_t *tests;

void register_test(test_t *test) {
  test->next = tests;
  tests = test;
}

void fail(const char *file, int line, const char *format, ...) {
  fprintf(stderr, "%s:%d: ", file, line);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  fflush(NULL);
  _exit(1); /* other threads may still run */
}

int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * SEC + now.tv_nsec;
}

void spin_for(int64_t duration_ns) {
  int64_t end = now_ns() + duration_ns;
  while (now_ns() < end) {
  }
}

int64_t stress_end(void) {
  const char *soak = getenv("NTH_SOAK"); /* how many times longer, as in the managed tests */
  int64_t duration = (soak != NULL ? atoi(soak) : 1) * 700 * MS;
  return now_ns() + (duration < 20 * SEC ? duration : 20 * SEC);
}

static void *run_thread(void *argument) {
  thread_t *thread = argument;
  thread->run(thread->argument);
  return NULL;
}

void start_thread(thread_t *thread, void (*run)(void *argument), void *argument) {
  thread->run = run;
  thread->argument = argument;
  CHECK_EQ(pthread_create(&thread->id, NULL, run_thread, thread), 0);
}

void join_thread(thread_t *thread) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2 * DEADLINE_NS / SEC;
  CHECK_EQ(pthread_timedjoin_np(thread->id, NULL, &until), 0);
}

void use_one_cpu(void) {
  cpu_set_t mask;
  CHECK_EQ(sched_getaffinity(getpid(), sizeof mask, &mask), 0);
  size_t first = 0;
  while (!CPU_ISSET(first, &mask)) {
    first++;
  }
  CPU_ZERO(&mask);
  CPU_SET(first, &mask);
  CHECK_EQ(sched_setaffinity(getpid(), sizeof mask, &mask), 0);
}

uint32_t next_random(uint32_t *state) {
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

int main(int argc, char **argv) {
  int ran = 0;
  for (test_t *test = tests; test != NULL; test = test->next) {
    if (argc < 2 || strcmp(argv[1], test->name) == 0) {
      printf("%s\n", test->name);
      fflush(stdout);
      test->run();
      ran++;
    }
  }
  if (ran == 0) {
    fprintf(stderr, "no such test: %s\n", argc < 2 ? "(none at all)" : argv[1]);
  }
  return ran == 0;
}
