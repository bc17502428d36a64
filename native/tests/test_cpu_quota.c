/* SPDX-License-Identifier: MIT
 *
 * The quota of a control group, read from made-up control groups in a directory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"
#include "prim/prim.h"

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
