/* SPDX-License-Identifier: MIT
 *
 * Linux: the CPU clock of another thread, and its run state from /proc.
 */
#define _GNU_SOURCE

#include "linux_thread_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "native_threading.h"

/* The id and the name are at most 7 and 64 characters long; the state follows them. */
enum { LINE_SIZE = 128 };

/* The kernel's name for the CPU clock of a thread of this process: what pthread_getcpuclockid makes of a pthread_t,
 * which must not be asked about a thread that has ended. */
static clockid_t clock_of(int32_t thread) {
  enum { PER_THREAD = 4, SCHEDULED = 2 };
  return (clockid_t)(~(uint32_t)thread << 3 | PER_THREAD | SCHEDULED);
}

int nth__state_in_stat(const char *line) {
  /* "id (name) state ...": the name may hold anything, so the last parenthesis counts (T87). */
  const char *end = strrchr(line, ')');
  if (end == NULL || end[1] != ' ') {
    return -EINVAL;
  }
  switch (end[2]) {
    case 'R':
      return NTH_THREAD_RUNNABLE;
    case 'T': /* stopped by a signal */
    case 't': /* by a debugger */
      return NTH_THREAD_STOPPED;
    case 'X':
    case 'Z':
      return -ESRCH;
    case '\0':
      return -EINVAL;
    default: /* S, D, and what later kernels may call waiting */
      return NTH_THREAD_WAITING;
  }
}

int nth__probe_open_at(nth__probe_t *probe, const char *path) {
  probe->thread = (uintptr_t)syscall(SYS_gettid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  probe->file = file >= 0 ? file : -errno;
  return 0;
}

/* thread-self, and not the thread's number: in a foreign pid namespace's /proc that could be another thread. The open
 * file means this thread for ever; after its end, reads fail, also when its number is used again (T87). */
int nth__probe_open(nth__probe_t *probe) {
  return nth__probe_open_at(probe, "/proc/thread-self/stat");
}

void nth__probe_close(nth__probe_t *probe) {
  if (probe->file >= 0) {
    close(probe->file);
  }
}

int64_t nth__probe_cpu(const nth__probe_t *probe) {
  struct timespec time;
  if (clock_gettime(clock_of((int32_t)probe->thread), &time) != 0) {
    return errno == EINVAL ? -ESRCH : -errno; /* EINVAL: no such thread */
  }
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int nth__probe_state(const nth__probe_t *probe) {
  if (probe->file < 0) {
    return probe->file;
  }
  char line[LINE_SIZE];
  ssize_t length;
  do {
    length = pread(probe->file, line, sizeof line - 1, 0);
  } while (length < 0 && errno == EINTR);
  if (length < 0) {
    return -errno;
  }
  line[length] = '\0';
  return nth__state_in_stat(line);
}
