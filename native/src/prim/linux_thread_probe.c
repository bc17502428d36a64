/* SPDX-License-Identifier: MIT
 *
 * Linux: the CPU clock of another thread, and what /proc tells of it: its run state, what it
 * waits in, how often it waited, and how long it had no CPU.
 */
#define _GNU_SOURCE

#include "linux_thread_probe.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "errors.h"
#include "prim.h"

/* The id and the name are at most 7 and 64 characters long; the state follows them. */
enum { LINE_SIZE = 128 };

/* /proc/T/status: some 60 lines, the numbers of switches last. */
enum { STATUS_SIZE = 8192 };

/* The kernel's name for the CPU clock of a thread of this process. pthread_getcpuclockid makes the same of a pthread_t,
 * but must not be called for a thread that has ended. */
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

/* Not strtoull: newer C libraries link it under a name that older ones lack. */
static const char *read_number(const char *text, int64_t *number) {
  while (*text == ' ') {
    text++;
  }
  const char *digits = text;
  int64_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    if (value > (INT64_MAX - 9) / 10) {
      return NULL;
    }
    value = 10 * value + (*text - '0');
  }
  *number = value;
  return text == digits ? NULL : text;
}

int64_t nth__delay_in_schedstat(const char *line) {
  /* "time on a CPU, time ready without one, times that it got one". The last is 0 only if the kernel keeps no account:
   * each probed thread has run. */
  int64_t numbers[3];
  for (int i = 0; i < 3; i++) {
    line = read_number(line, &numbers[i]);
    if (line == NULL) {
      return -EINVAL;
    }
  }
  return numbers[2] == 0 ? -ENOSYS : numbers[1];
}

int64_t nth__waits_in_status(const char *text) {
  /* The name is the first line's, and line ends in it are written as two characters. So no name imitates a line. */
  static const char key[] = "\nvoluntary_ctxt_switches:";
  const char *line = strstr(text, key);
  if (line == NULL) {
    return -ENOSYS;
  }
  line += sizeof key - 1;
  int64_t waits;
  return read_number(line + (*line == '\t'), &waits) == NULL ? -EINVAL : waits;
}

/* The thread's path in /proc. In the /proc of a foreign pid namespace its number could be another thread's. */
void nth__probe_open_at(nth_thread_probe_t *probe, const char *proc) {
  char self[LINE_SIZE], name[LINE_SIZE];
  probe->thread = (int32_t)syscall(SYS_gettid);
  snprintf(self, sizeof self, "%s/thread-self", proc);
  ssize_t length = readlink(self, name, sizeof name - 1);
  if (length < 0) {
    probe->refusal = -errno;
    return;
  }
  name[length] = '\0';
  int written = snprintf(probe->path, sizeof probe->path, "%s/%s", proc, name);
  probe->refusal = written < (int)sizeof probe->path ? 0 : -ENAMETOOLONG;
}

/* Holds no descriptor: threads that block come by the thousand, and descriptors do not. */
int32_t nth_thread_probe_create(nth_thread_probe_t **probe) {
  nth_thread_probe_t *created = nth__alloc(sizeof *created);
  if (created == NULL) {
    return -ENOMEM;
  }
  nth__probe_open_at(created, "/proc");
  *probe = created;
  return 0;
}

void nth_thread_probe_destroy(nth_thread_probe_t *probe) {
  nth__free(probe);
}

/* Reads one of the thread's files. After the thread's end another thread of this process may get its number; that holds
 * for the CPU clock, too. So a probe must be closed when its thread ends (T87). */
static int read_about(const nth_thread_probe_t *probe, const char *what, char *text, size_t size) {
  if (probe->refusal != 0) {
    return probe->refusal;
  }
  char path[sizeof probe->path + 16];
  snprintf(path, sizeof path, "%s/%s", probe->path, what);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    /* The file is missing: for this thread, which has ended, or for any thread. */
    int error = -errno;
    return error == -ENOENT && nth_thread_probe_cpu(probe) == -ESRCH ? -ESRCH : error;
  }
  ssize_t length;
  UNTIL_NOT_INTERRUPTED(length, read(file, text, size - 1));
  int error = length < 0 ? -errno : 0;
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  return error;
}

int64_t nth_thread_probe_cpu(const nth_thread_probe_t *probe) {
  struct timespec time;
  if (clock_gettime(clock_of(probe->thread), &time) != 0) {
    return errno == EINVAL ? -ESRCH : -errno; /* EINVAL: no such thread */
  }
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int32_t nth_thread_probe_state(const nth_thread_probe_t *probe) {
  char line[LINE_SIZE];
  int error = read_about(probe, "stat", line, sizeof line);
  return error != 0 ? error : nth__state_in_stat(line);
}

int64_t nth_thread_probe_run_delay(const nth_thread_probe_t *probe) {
  char line[LINE_SIZE];
  int error = read_about(probe, "schedstat", line, sizeof line);
  return error == -ENOENT ? -ENOSYS : error != 0 ? error : nth__delay_in_schedstat(line);
}

int64_t nth_thread_probe_waits(const nth_thread_probe_t *probe) {
  char text[STATUS_SIZE];
  int error = read_about(probe, "status", text, sizeof text);
  return error == -ENOENT ? -ENOSYS : error != 0 ? error : nth__waits_in_status(text);
}

int32_t nth_thread_probe_wait_channel(const nth_thread_probe_t *probe, char *name, int32_t size) {
  char line[LINE_SIZE];
  int error = read_about(probe, "wchan", line, sizeof line);
  if (error == -ENOENT || error == -EACCES || error == -EPERM) {
    return -ENOSYS; /* a kernel without names, or one that hides them from this process */
  }
  if (error != 0) {
    return error;
  }
  /* "0": the thread runs, or the name is hidden from this process. */
  size_t length = strcmp(line, "0") == 0 ? 0 : strcspn(line, "\n");
  length = length < (size_t)size ? length : (size_t)size - 1;
  memcpy(name, line, length);
  name[length] = '\0';
  return (int32_t)length;
}
