/* SPDX-License-Identifier: MIT
 *
 * Runs the test named on the command line, or all of the program.
 */
#include "harness.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
  end_process(1);
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

void start_thread(thread_t *thread, void (*run)(void *argument), void *argument) {
  thread->run = run;
  thread->argument = argument;
  CHECK(create_thread(thread));
}

void join_thread(thread_t *thread) {
  CHECK(end_of_thread(thread, 2 * DEADLINE_NS));
}

bool same_scheduling(const scheduling_t *left, const scheduling_t *right) {
  return left->policy == right->policy && left->nice == right->nice
         && memcmp(left->cpus, right->cpus, sizeof left->cpus) == 0;
}

void take_lock(test_lock_t *lock) {
  UNTIL(!atomic_exchange(lock, true));
}

void give_lock(test_lock_t *lock) {
  atomic_store(lock, false);
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
