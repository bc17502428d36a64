/* SPDX-License-Identifier: MIT
 *
 * Looking at other threads: what is blocked and what is not.
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "native_threading.h"
#include "prim/linux_thread_probe.h"
#include "watched_thread.h"

/* A fifth of the time on the CPU, as a handler that mostly waits for a database. */
static void work_and_sleep(watched_t *watched) {
  while (!atomic_load(&watched->stop)) {
    spin_for(200 * US);
    sleep_ns(800 * US);
  }
}

static void read_pipe(watched_t *watched) {
  char byte;
  CHECK_EQ(read(watched->pipe[0], &byte, 1), 1);
}

static void poll_pipe(watched_t *watched) {
  struct pollfd file = {.fd = watched->pipe[0], .events = POLLIN};
  CHECK_EQ(poll(&file, 1, -1), 1);
}

static void lock_mutex(watched_t *watched) {
  pthread_mutex_lock(&watched->mutex);
  pthread_mutex_unlock(&watched->mutex);
}

/* No CPU time between two looks, and waiting at the second: the rule. */
static bool was_blocked(watched_t *watched, int64_t window_ns) {
  nth_thread_probe_t *probe = atomic_load(&watched->probe);
  int64_t before = nth_thread_probe_cpu(probe);
  CHECK(before >= 0);
  sleep_ns(window_ns);
  int64_t after = nth_thread_probe_cpu(probe);
  CHECK(after >= before);
  int32_t state = nth_thread_probe_state(probe);
  CHECK(state >= 0);
  return after == before && state == NTH_THREAD_WAITING;
}

static const int64_t windows[] = {1 * MS, 2 * MS, 5 * MS, 20 * MS};

static void check_never_blocked(void (*act)(watched_t *watched), int others, int looks) {
  watched_t watched, starving[4];
  for (int i = 0; i < others; i++) {
    start_watched(&starving[i], spin_until_stopped);
  }
  start_watched(&watched, act);
  for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
    for (int look = 0; look < looks; look++) {
      CHECK(!was_blocked(&watched, windows[i]));
    }
  }
  end_watched(&watched);
  for (int i = 0; i < others; i++) {
    end_watched(&starving[i]);
  }
}

TEST(T82_a_running_thread_is_never_blocked) {
  check_never_blocked(spin_until_stopped, 0, 50);
}

TEST(T82_a_thread_that_waits_for_a_cpu_is_never_blocked) {
  check_never_blocked(spin_until_stopped, 4, 50);
}

TEST(T82_a_thread_that_works_now_and_then_is_not_blocked_over_its_period) {
  watched_t watched;
  start_watched(&watched, work_and_sleep);
  int blocked = 0;
  for (int look = 0; look < 50; look++) {
    blocked += was_blocked(&watched, 20 * MS);
  }
  end_watched(&watched);
  CHECK(blocked <= 2); /* a virtual machine's host may keep one CPU from it for a whole window, timer and all */
}

static void check_always_blocked(void (*act)(watched_t *watched)) {
  watched_t watched;
  memset(&watched, 0, sizeof watched);
  start_watched(&watched, act);
  UNTIL(was_blocked(&watched, 1 * MS)); /* it may still be on its way */
  for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
    for (int look = 0; look < 20; look++) {
      CHECK(was_blocked(&watched, windows[i]));
    }
  }
  end_watched(&watched);
}

TEST(T82_a_thread_in_read_is_blocked) {
  check_always_blocked(read_pipe);
}

TEST(T82_a_thread_in_poll_is_blocked) {
  check_always_blocked(poll_pipe);
}

TEST(T82_a_thread_at_a_lock_is_blocked_until_it_gets_it) {
  watched_t watched;
  memset(&watched, 0, sizeof watched);
  watched.act = lock_mutex;
  pthread_mutex_init(&watched.mutex, NULL);
  CHECK_EQ(pipe(watched.pipe), 0);
  pthread_mutex_lock(&watched.mutex);
  start_thread(&watched.thread, be_watched, &watched);
  UNTIL(atomic_load(&watched.probe) != NULL);
  UNTIL(was_blocked(&watched, 2 * MS));
  for (int look = 0; look < 50; look++) {
    CHECK(was_blocked(&watched, 2 * MS));
  }
  pthread_mutex_unlock(&watched.mutex);
  end_watched(&watched);
}

TEST(the_threads_that_look_may_be_others_than_the_one_that_is_looked_at) {
  watched_t watched;
  start_watched(&watched, spin_until_stopped);
  int64_t end = stress_end();
  int64_t before = nth_thread_probe_cpu(watched.probe);
  while (now_ns() < end) {
    int64_t cpu = nth_thread_probe_cpu(watched.probe);
    CHECK(cpu >= before);
    before = cpu;
    CHECK_EQ(nth_thread_probe_state(watched.probe), NTH_THREAD_RUNNABLE);
  }
  CHECK(before > 0);
  end_watched(&watched);
}

/* ---- Ends, names, numbers ------------------------------------------------------------------------------- */

TEST(the_kernels_function_in_which_a_thread_waits_has_a_name_or_is_hidden) {
  watched_t watched;
  start_watched(&watched, read_pipe);
  UNTIL(was_blocked(&watched, 2 * MS));
  char name[64];
  memset(name, 'x', sizeof name);
  int32_t length = nth_thread_probe_wait_channel(watched.probe, name, sizeof name);
  CHECK(length == -ENOSYS || (length >= 0 && strlen(name) == (size_t)length));
  if (length > 0) {
    CHECK(strstr(name, "pipe") != NULL || strstr(name, "wait") != NULL); /* pipe_read, and what sandboxes call it */
    char cut[4];
    CHECK_EQ(nth_thread_probe_wait_channel(watched.probe, cut, sizeof cut), 3);
    CHECK(strncmp(cut, name, 3) == 0 && cut[3] == '\0');
  }
  end_watched(&watched);
}

static void return_at_once(watched_t *watched) {
  (void)watched;
}

TEST(T87_an_ended_thread_is_said_to_have_ended) {
  watched_t ended;
  start_watched(&ended, return_at_once);
  join_thread(&ended.thread);
  UNTIL(nth_thread_probe_state(ended.probe) == -ESRCH); /* join returns a little before the kernel is done */
  /* Threads come and go; the kernel hands out numbers in order, so that reuse takes a whole round of them. */
  for (int i = 0; i < 200; i++) {
    watched_t other;
    start_watched(&other, return_at_once);
    CHECK_EQ(nth_thread_probe_state(ended.probe), -ESRCH);
    CHECK_EQ(nth_thread_probe_run_delay(ended.probe), -ESRCH);
    CHECK_EQ(nth_thread_probe_waits(ended.probe), -ESRCH);
    char name[8];
    int32_t length = nth_thread_probe_wait_channel(ended.probe, name, sizeof name);
    CHECK(length == -ESRCH || length == -ENOSYS);
    join_thread(&other.thread);
    UNTIL(nth_thread_probe_cpu(other.probe) == -ESRCH);
    nth_thread_probe_destroy(other.probe);
    close(other.pipe[0]);
    close(other.pipe[1]);
  }
  CHECK_EQ(nth_thread_probe_cpu(ended.probe), -ESRCH);
  nth_thread_probe_destroy(ended.probe);
}

static void take_an_odd_name(watched_t *watched) {
  CHECK_EQ(pthread_setname_np(pthread_self(), "x) R y"), 0);
  read_pipe(watched);
}

TEST(T87_a_name_may_look_like_a_state) {
  watched_t watched;
  start_watched(&watched, take_an_odd_name);
  UNTIL(was_blocked(&watched, 2 * MS));
  end_watched(&watched);
}

TEST(T87_states_in_the_kernels_line) {
  CHECK_EQ(nth__state_in_stat("1 (a) R 1"), NTH_THREAD_RUNNABLE);
  CHECK_EQ(nth__state_in_stat("1 (a) S 1"), NTH_THREAD_WAITING);
  CHECK_EQ(nth__state_in_stat("1 (a) D 1"), NTH_THREAD_WAITING);
  CHECK_EQ(nth__state_in_stat("1 (a) T 1"), NTH_THREAD_STOPPED);
  CHECK_EQ(nth__state_in_stat("1 (a) t 1"), NTH_THREAD_STOPPED);
  CHECK_EQ(nth__state_in_stat("1 (a) Z 1"), -ESRCH);
  CHECK_EQ(nth__state_in_stat("1 (a) X 1"), -ESRCH);
  CHECK_EQ(nth__state_in_stat("1 (x) R y) S 1"), NTH_THREAD_WAITING);
  CHECK_EQ(nth__state_in_stat("1 ((((()) R 1"), NTH_THREAD_RUNNABLE);
  CHECK_EQ(nth__state_in_stat(""), -EINVAL);
  CHECK_EQ(nth__state_in_stat("1 (a"), -EINVAL);
  CHECK_EQ(nth__state_in_stat("1 (a)"), -EINVAL);
  CHECK_EQ(nth__state_in_stat("1 (a) "), -EINVAL);
}

/* ---- Where /proc cannot be read, files run out, or a debugger stops the thread--------------------------- */

TEST(T87_without_proc_the_reason_is_told_and_cpu_time_goes_on) {
  nth_thread_probe_t probe;
  nth__probe_open_at(&probe, "/proc-is-hidden");
  CHECK_EQ(nth_thread_probe_state(&probe), -ENOENT);
  CHECK_EQ(nth_thread_probe_run_delay(&probe), -ENOSYS);
  CHECK_EQ(nth_thread_probe_waits(&probe), -ENOSYS);
  int64_t before = nth_thread_probe_cpu(&probe);
  CHECK(before > 0);
  spin_for(1 * MS);
  CHECK(nth_thread_probe_cpu(&probe) > before);
}

static int open_files(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  CHECK(directory != NULL);
  while (readdir(directory) != NULL) {
    count++;
  }
  closedir(directory);
  return count;
}

TEST(a_probe_holds_no_descriptor) {
  int before = open_files();
  nth_thread_probe_t *probes[100];
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(nth_thread_probe_create(&probes[i]), 0);
    CHECK_EQ(nth_thread_probe_state(probes[i]), NTH_THREAD_RUNNABLE);
    CHECK(nth_thread_probe_run_delay(probes[i]) >= -ENOSYS);
    CHECK(nth_thread_probe_waits(probes[i]) >= 0);
  }
  CHECK_EQ(open_files(), before);
  for (int i = 0; i < 100; i++) {
    nth_thread_probe_destroy(probes[i]);
  }
}

TEST(where_no_descriptor_is_left_the_reason_is_told_for_as_long_as_that_lasts) {
  nth_thread_probe_t *probe;
  CHECK_EQ(nth_thread_probe_create(&probe), 0);
  struct rlimit before, none;
  CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  int32_t state = nth_thread_probe_state(probe);
  int64_t delay = nth_thread_probe_run_delay(probe);
  int64_t waits = nth_thread_probe_waits(probe);
  CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  CHECK_EQ(state, -EMFILE);
  CHECK_EQ(delay, -EMFILE);
  CHECK_EQ(waits, -EMFILE);
  CHECK_EQ(nth_thread_probe_state(probe), NTH_THREAD_RUNNABLE);
  nth_thread_probe_destroy(probe);
}

/* A debugger's hold on a thread is not blocking. The tracer is another process, as a debugger is. */
TEST(a_thread_held_by_a_debugger_is_stopped_and_not_blocked) {
  int go[2], told[2];
  CHECK(pipe(go) == 0 && pipe(told) == 0);
  nth_thread_probe_t *probe = NULL;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    /* The traced one: looks at its own thread from a second one while the parent holds the first. */
    watched_t watched;
    start_watched(&watched, read_pipe);
    probe = watched.probe;
    UNTIL(nth_thread_probe_state(probe) == NTH_THREAD_WAITING);
    pid_t thread = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) {
      pid_t id = atoi(entry->d_name);
      thread = id > thread ? id : thread;
    }
    closedir(tasks);
    CHECK_EQ(write(told[1], &thread, sizeof thread), sizeof thread);
    char byte;
    CHECK_EQ(read(go[0], &byte, 1), 1);
    int32_t held = nth_thread_probe_state(probe);
    CHECK_EQ(write(told[1], &held, sizeof held), sizeof held);
    CHECK_EQ(read(go[0], &byte, 1), 1);
    UNTIL(was_blocked(&watched, 2 * MS));
    _exit(0);
  }
  pid_t thread;
  CHECK_EQ(read(told[0], &thread, sizeof thread), sizeof thread);
  if (ptrace(PTRACE_ATTACH, thread, NULL, NULL) != 0) {
    /* Where a sandbox forbids tracing, no debugger can hold a thread either. */
    CHECK(errno == EPERM || errno == EACCES || errno == ENOSYS);
    CHECK_EQ(kill(child, SIGKILL), 0);
    waitpid(child, NULL, 0);
    return;
  }
  int status;
  CHECK_EQ(waitpid(thread, &status, __WALL), thread);
  CHECK_EQ(write(go[1], "x", 1), 1);
  int32_t held;
  CHECK_EQ(read(told[0], &held, sizeof held), sizeof held);
  CHECK_EQ(held, NTH_THREAD_STOPPED);
  CHECK_EQ(ptrace(PTRACE_DETACH, thread, NULL, NULL), 0);
  CHECK_EQ(write(go[1], "x", 1), 1);
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
