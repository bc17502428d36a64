/* SPDX-License-Identifier: MIT
 *
 * For a process into which it is loaded: a thread that sends a signal to every other one, again and again. The handler is
 * installed without SA_RESTART, so that whatever can be interrupted is.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int rages;
static _Atomic int64_t signals;

static void on_signal(int number) {
  (void)number;
  atomic_fetch_add(&signals, 1);
}

static void *rage(void *unused) {
  (void)unused;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  long self = syscall(SYS_gettid);
  static const struct timespec pause = {0, 100 * 1000};
  while (atomic_load(&rages)) {
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
      long thread = atol(task->d_name);
      if (thread > 0 && thread != self) {
        syscall(SYS_tgkill, (long)getpid(), thread, (long)SIGUSR2); /* one that has ended takes none */
      }
    }
    if (tasks != NULL) {
      closedir(tasks);
    }
    nanosleep(&pause, NULL);
  }
  return NULL;
}

void set_signal_storm(int32_t on);
void set_signal_storm(int32_t on) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK; /* the handler may come upon a thread with hardly any stack left */
  sigaction(SIGUSR2, &action, NULL);
  if (atomic_exchange(&rages, on) == 0 && on != 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, rage, NULL) == 0) {
      pthread_detach(thread);
    }
  }
}

int64_t signals_taken(void);
int64_t signals_taken(void) {
  return atomic_load(&signals);
}
