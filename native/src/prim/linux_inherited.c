/* SPDX-License-Identifier: MIT
 *
 * What a new thread inherits on Linux from the thread that starts it: its nice value, its affinity, its signal mask and its timer slack.
 * A thread without privilege cannot lower its own nice value. It can take the other three back.
 *
 * The values of the process are those of its first thread. No thread of the library changes them.
 */
#define _GNU_SOURCE

#include "linux_old_glibc.h"
#include "prim.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  MASK_WORDS = 128, /* 8192 processors */
  SIGNALS = 64,
};

/* That of the thread that loads the library: the first one may not be asked for its own without a privilege. */
static int slack_at_load;

__attribute__((constructor)) static void note_slack(void) {
  slack_at_load = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
}

int32_t nth_thread_nice_offset(void) {
  errno = 0;
  int own = getpriority(PRIO_PROCESS, 0); /* 0 is the calling thread */
  int first = getpriority(PRIO_PROCESS, (id_t)getpid());
  return errno == 0 ? own - first : 0;
}

/* A mask is widened to that of the process, never narrowed: the first thread may be pinned for reasons of its own. */
static int widen_affinity(void) {
  unsigned long own[MASK_WORDS] = {0};
  unsigned long first[MASK_WORDS] = {0};
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof own, own);
  if (bytes < 0 || syscall(SYS_sched_getaffinity, getpid(), sizeof first, first) < 0) {
    return -errno;
  }
  for (int i = 0; i < MASK_WORDS; i++) {
    if ((own[i] & ~first[i]) != 0) {
      return 0;
    }
  }
  if (memcmp(own, first, sizeof own) == 0) {
    return 0;
  }
  return syscall(SYS_sched_setaffinity, 0, (size_t)bytes, first) == 0 ? 0 : -errno;
}

static int read_first_mask(uint64_t *mask) {
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC); /* that of the first thread, whichever thread reads it */
  if (file < 0) {
    return -errno;
  }
  char text[4096];
  ssize_t length = read(file, text, sizeof text - 1);
  int error = length < 0 ? errno : 0;
  close(file);
  if (length <= 0) {
    return error != 0 ? -error : -ENOENT;
  }
  text[length] = '\0';
  const char *field = strstr(text, "\nSigBlk:\t");
  if (field == NULL) {
    return -ENOENT;
  }
  /* By hand: the library asks for no newer glibc than it must, and sscanf has a new version since 2.38. */
  *mask = 0;
  for (const char *digit = field + strlen("\nSigBlk:\t"); isxdigit((unsigned char)*digit); digit++) {
    *mask = *mask << 4 | (uint64_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
  }
  return 0;
}

/* Signals stay blocked that the first thread blocks, too. */
static int unblock_signals(void) {
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, NULL, &own);
  uint64_t blocked = 0;
  for (int signal = 1; signal <= SIGNALS; signal++) {
    blocked |= sigismember(&own, signal) == 1 ? UINT64_C(1) << (signal - 1) : 0;
  }
  if (blocked == 0) {
    return 0;
  }
  uint64_t first = 0;
  int error = read_first_mask(&first);
  if (error != 0 || (blocked & ~first) == 0) {
    return error;
  }
  for (int signal = 1; signal <= SIGNALS; signal++) {
    if (((blocked & ~first) >> (signal - 1) & 1) != 0) {
      sigdelset(&own, signal);
    }
  }
  return -pthread_sigmask(SIG_SETMASK, &own, NULL);
}

static int restore_slack(void) {
  int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  if (slack < 0 || slack_at_load <= 0 || slack == slack_at_load) {
    return 0;
  }
  return prctl(PR_SET_TIMERSLACK, (unsigned long)slack_at_load, 0, 0, 0) == 0 ? 0 : -errno;
}

/* Raising the value is always allowed, lowering it takes a privilege. */
static int reset_nice(void) {
  int offset = nth_thread_nice_offset();
  return offset == 0 || setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - offset) == 0 ? 0 : -errno;
}

int32_t nth_thread_reset_inherited(void) {
  int nice = reset_nice();
  int affinity = widen_affinity();
  int signals = unblock_signals();
  int slack = restore_slack();
  return nice != 0 ? nice : affinity != 0 ? affinity : signals != 0 ? signals : slack;
}
