/* SPDX-License-Identifier: MIT
 *
 * The door to the operating system.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "native_threading.h"
#include "prim/linux_cpu_quota.h"
#include "prim/prim.h"

TEST(T21_deadlines_saturate) {
  int64_t before = nth__now_ns();
  CHECK(nth__deadline(0) >= before);
  CHECK(nth__deadline(1) > before);
  CHECK_EQ(nth__deadline(-1), NTH__FOREVER);
  CHECK_EQ(nth__deadline(INT64_MIN), NTH__FOREVER);
  CHECK_EQ(nth__deadline(INT64_MAX), NTH__FOREVER);
  CHECK_EQ(nth__deadline(INT64_MAX - 1), NTH__FOREVER);
  CHECK(nth__deadline(INT64_MAX / 2) < NTH__FOREVER);
}

TEST(T21_park_times_out_and_never_early) {
  static const int64_t timeouts[] = {0, 1, 999, 1 * US, 1 * MS, 50 * MS};
  for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
    _Atomic uint32_t word = 0;
    int64_t deadline = nth__now_ns() + timeouts[i];
    int result;
    do {
      result = nth__park(&word, 0, deadline);
    } while (result == 0); /* for no reason */
    CHECK_EQ(result, -ETIMEDOUT);
    CHECK(nth__now_ns() >= deadline);
  }
}

TEST(T21_a_deadline_in_the_past_times_out) {
  _Atomic uint32_t word = 0;
  CHECK_EQ(nth__park(&word, 0, 0), -ETIMEDOUT);
  CHECK_EQ(nth__park(&word, 0, nth__now_ns() - SEC), -ETIMEDOUT);
}

TEST(T21_a_changed_word_is_not_a_timeout) {
  _Atomic uint32_t word = 1;
  CHECK_EQ(nth__park(&word, 0, NTH__FOREVER), 0);
  CHECK_EQ(nth__park(&word, 0, nth__now_ns() + DEADLINE_NS), 0);
}

static void park_until_changed(void *argument) {
  _Atomic uint32_t *word = argument;
  while (atomic_load(word) == 0) {
    CHECK_EQ(nth__park(word, 0, nth__now_ns() + DEADLINE_NS), 0);
  }
}

TEST(T128_no_wake_between_compare_and_sleep_is_lost) {
  int64_t end = stress_end();
  for (uint32_t random = 1; now_ns() < end;) {
    _Atomic uint32_t word = 0;
    thread_t thread;
    start_thread(&thread, park_until_changed, &word);
    spin_for(next_random(&random) % (100 * US));
    atomic_store(&word, 1);
    nth__unpark(&word);
    join_thread(&thread);
  }
}

TEST(usable_cpus_follow_the_affinity_mask) {
  CHECK(nth_usable_cpus() >= 1);
  use_one_cpu();
  CHECK_EQ(nth_usable_cpus(), 1);
}

static int own_nice(void) {
  return getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
}

static void change_nice(void *argument) {
  (void)argument;
  int before = own_nice();
  CHECK_EQ(nth_thread_set_nice(-21), -EINVAL); /* T66: the kernel would clamp it */
  CHECK_EQ(nth_thread_set_nice(20), -EINVAL);
  CHECK_EQ(own_nice(), before);
  CHECK_EQ(nth_thread_set_nice(before + 1), 0);
  CHECK_EQ(own_nice(), before + 1);
  int32_t result = nth_thread_set_nice(-5); /* for the privileged only */
  CHECK(result == 0 || result == -EACCES || result == -EPERM);
  CHECK_EQ(own_nice(), result == 0 ? -5 : before + 1);
}

TEST(T66_set_nice_changes_the_calling_thread_only) {
  int before = own_nice();
  thread_t thread;
  start_thread(&thread, change_nice, NULL);
  join_thread(&thread);
  CHECK_EQ(own_nice(), before);
}

TEST(memory_is_zeroed_and_on_its_own_line) {
  for (size_t size = 1; size < 1000; size += 37) {
    unsigned char *memory = nth__alloc(size);
    CHECK(memory != NULL);
    CHECK_EQ((uintptr_t)memory % NTH__CACHE_LINE, 0);
    for (size_t i = 0; i < size; i++) {
      CHECK_EQ(memory[i], 0);
    }
    memset(memory, 0xFF, size);
    nth__free(memory);
  }
}

/* ---- Quotas: made-up control groups in a directory ----------------------------------------------------- */

static char root[] = "/tmp/nth-quota-XXXXXX";

static void write_file(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    CHECK(mkdir(path, 0700) == 0 || errno == EEXIST);
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  fputs(text, file);
  fclose(file);
}

static int32_t quota(const char *membership) {
  write_file("membership", membership);
  char path[256];
  snprintf(path, sizeof path, "%s/membership", root);
  return nth__cpu_quota_milli_in(path, root);
}

static void make_root(void) {
  CHECK(mkdtemp(root) != NULL);
}

static void remove_root(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -r %s", root);
  CHECK_EQ(system(command), 0);
}

TEST(T129_quota_of_version_2_is_the_tightest_on_the_path) {
  make_root();
  write_file("a/b/cpu.max", "150000 100000\n");
  CHECK_EQ(quota("0::/a/b\n"), 1500);
  write_file("a/b/cpu.max", "max 100000\n");
  CHECK_EQ(quota("0::/a/b\n"), INT32_MAX);
  write_file("a/cpu.max", "50000 100000\n");
  CHECK_EQ(quota("0::/a/b\n"), 500);
  CHECK_EQ(quota("0::/\n"), INT32_MAX);
  write_file("cpu.max", "100000 100000\n"); /* what a container sees */
  CHECK_EQ(quota("0::/\n"), 1000);
  CHECK_EQ(quota("0::/not/here\n"), 1000);
  remove_root();
}

TEST(T129_quota_of_version_1) {
  make_root();
  write_file("cpu/x/cpu.cfs_quota_us", "200000\n");
  write_file("cpu/x/cpu.cfs_period_us", "100000\n");
  CHECK_EQ(quota("5:cpuset:/x\n4:cpu,cpuacct:/x\n"), 2000);
  CHECK_EQ(quota("4:cpuset:/x\n"), INT32_MAX); /* another controller */
  write_file("cpu/x/cpu.cfs_quota_us", "-1\n");
  CHECK_EQ(quota("4:cpu,cpuacct:/x\n"), INT32_MAX);
  remove_root();
}

TEST(T129_nonsense_is_no_quota) {
  make_root();
  CHECK_EQ(nth__cpu_quota_milli_in("/nowhere", root), INT32_MAX);
  CHECK_EQ(quota(""), INT32_MAX);
  CHECK_EQ(quota("::\n:\n0:\nx"), INT32_MAX);
  write_file("cpu.max", "0 0\n");
  CHECK_EQ(quota("0::/\n"), INT32_MAX);
  write_file("cpu.max", "9223372036854775807 1\n");
  CHECK_EQ(quota("0::/\n"), INT32_MAX);
  write_file("cpu.max", "-5 100000\n");
  CHECK_EQ(quota("0::/\n"), INT32_MAX);
  remove_root();
}
