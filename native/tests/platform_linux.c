/* SPDX-License-Identifier: MIT
 *
 * Linux, with either C library.
 */
#include "platform.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t ns_per_s = 1000000000;

const int64_t timer_lateness_ns = 1000000;

int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * ns_per_s + now.tv_nsec;
}

void sleep_ns(int64_t duration_ns) {
  struct timespec time = {duration_ns / ns_per_s, duration_ns % ns_per_s};
  while (nanosleep(&time, &time) != 0) {
  }
}

static void *run_thread(void *argument) {
  thread_t *thread = argument;
  thread->run(thread->argument);
  return NULL;
}

bool create_thread(thread_t *thread) {
  pthread_t id;
  bool created = pthread_create(&id, NULL, run_thread, thread) == 0;
  thread->id = created ? (uintptr_t)id : 0;
  return created;
}

bool end_of_thread(thread_t *thread, int64_t timeout_ns) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += timeout_ns / ns_per_s;
  return pthread_timedjoin_np((pthread_t)thread->id, NULL, &until) == 0;
}

void forget_thread(thread_t *thread) {
  pthread_detach((pthread_t)thread->id);
}

void give_cpu_away(void) {
  sched_yield();
}

void use_one_cpu(void) {
  cpu_set_t mask;
  bool done = sched_getaffinity(getpid(), sizeof mask, &mask) == 0;
  size_t first = 0;
  while (done && !CPU_ISSET(first, &mask)) {
    first++;
  }
  CPU_ZERO(&mask);
  CPU_SET(first, &mask);
  if (!done || sched_setaffinity(getpid(), sizeof mask, &mask) != 0) {
    perror("affinity");
    end_process(1);
  }
}

scheduling_t own_scheduling(void) {
  scheduling_t own;
  memset(&own, 0, sizeof own);
  own.policy = sched_getscheduler(0);
  own.nice = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
  cpu_set_t cpus;
  _Static_assert(sizeof cpus <= sizeof own.cpus, "the mask fits");
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) {
    perror("affinity");
    end_process(1);
  }
  memcpy(own.cpus, &cpus, sizeof cpus);
  return own;
}

bool process_barrier(void) {
  enum { EXPEDITED = 1 << 3, REGISTER_EXPEDITED = 1 << 4 }; /* linux/membarrier.h */
  static _Atomic bool registered;
  if (!atomic_load(&registered)) {
    atomic_store(&registered, syscall(SYS_membarrier, REGISTER_EXPEDITED, 0, 0) == 0);
  }
  return syscall(SYS_membarrier, EXPEDITED, 0, 0) == 0;
}

const char *without_barrier(void) {
  return NULL;
}

void end_process(int code) {
  _exit(code); /* other threads may still run */
}

void *load_library(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
  }
  return library;
}

void *find_symbol(void *library, const char *name) {
  return dlsym(library, name);
}
