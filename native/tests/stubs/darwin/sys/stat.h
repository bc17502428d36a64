/* SPDX-License-Identifier: MIT
 *
 * What is used of sys/stat.h, in the layout with 64-bit inodes.
 */
#ifndef STUB_SYS_STAT_H
#define STUB_SYS_STAT_H

#include <sys/types.h>

struct stat {
  int32_t st_dev;
  mode_t st_mode;
  uint16_t st_nlink;
  char other[136];
};

#define S_ISREG(mode) (((mode) & 0170000) == 0100000)
#define S_ISDIR(mode) (((mode) & 0170000) == 0040000)

int fstat(int descriptor, struct stat *file);

#endif
