/* SPDX-License-Identifier: MIT
 *
 * What is used of unistd.h.
 */
#ifndef STUB_UNISTD_H
#define STUB_UNISTD_H

#include <sys/types.h>

int close(int descriptor);
int pipe(int ends[2]);
ssize_t read(int descriptor, void *memory, size_t length);
ssize_t write(int descriptor, const void *memory, size_t length);

#endif
