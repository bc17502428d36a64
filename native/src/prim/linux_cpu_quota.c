/* SPDX-License-Identifier: MIT
 *
 * Linux: the CPU bandwidth limit of the process's control group and of all groups above it, versions 2 and 1.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "prim.h"

enum { PATH_SIZE = 4096 };

static int32_t milli(int64_t quota_us, int64_t period_us) {
  if (quota_us <= 0 || period_us <= 0 || quota_us / period_us >= INT32_MAX / 1000) {
    return INT32_MAX; /* "max", version 1's -1, or nonsense */
  }
  return (int32_t)(quota_us * 1000 / period_us);
}

/* Reads up to two numbers from a file; those that are not there stay as they are. */
static void read_numbers(const char *path, int64_t *first, int64_t *second) {
  FILE *file = fopen(path, "re");
  if (file != NULL) {
    int64_t a = 0, b = 0;
    int count = fscanf(file, "%" SCNd64 " %" SCNd64, &a, &b);
    if (count >= 1) {
      *first = a;
    }
    if (count >= 2) {
      *second = b;
    }
    fclose(file);
  }
}

static int32_t limit_of_group(const char *mount, const char *group, bool unified) {
  char path[2 * PATH_SIZE];
  int64_t quota = -1, period = -1, none = 0;
  if (unified) {
    snprintf(path, sizeof path, "%s%s/cpu.max", mount, group);
    read_numbers(path, &quota, &period);
  } else {
    snprintf(path, sizeof path, "%s/cpu%s/cpu.cfs_quota_us", mount, group);
    read_numbers(path, &quota, &none);
    snprintf(path, sizeof path, "%s/cpu%s/cpu.cfs_period_us", mount, group);
    read_numbers(path, &period, &none);
  }
  return milli(quota, period);
}

/* The tightest limit from the group up to the root. Shortens group. */
static int32_t limit_of_path(const char *mount, char *group, bool unified) {
  int32_t tightest = INT32_MAX;
  for (;;) {
    int32_t limit = limit_of_group(mount, group, unified);
    if (limit < tightest) {
      tightest = limit;
    }
    char *slash = strrchr(group, '/');
    if (slash == NULL) {
      return tightest;
    }
    *slash = '\0';
  }
}

/* True if the comma-separated list names the cpu controller. */
static bool has_cpu_controller(const char *list) {
  size_t length;
  for (; *list != '\0'; list += length + (list[length] == ',')) {
    length = strcspn(list, ",");
    if (length == 3 && strncmp(list, "cpu", 3) == 0) {
      return true;
    }
  }
  return false;
}

int32_t nth__cpu_quota_milli_in(const char *membership, const char *mount) {
  FILE *file = fopen(membership, "re");
  if (file == NULL) {
    return INT32_MAX;
  }
  int32_t tightest = INT32_MAX;
  char line[PATH_SIZE];
  while (fgets(line, sizeof line, file) != NULL) {
    /* hierarchy:controllers:group; version 2 has hierarchy 0 and no controllers. */
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL) {
      continue;
    }
    *controllers++ = '\0';
    *group++ = '\0';
    bool unified = *controllers == '\0';
    if (unified || has_cpu_controller(controllers)) {
      int32_t limit = limit_of_path(mount, group, unified);
      tightest = limit < tightest ? limit : tightest;
    }
  }
  fclose(file);
  return tightest;
}

int32_t nth__cpu_quota_milli(void) {
  return nth__cpu_quota_milli_in("/proc/self/cgroup", "/sys/fs/cgroup");
}
