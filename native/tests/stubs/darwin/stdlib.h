/* SPDX-License-Identifier: MIT
 *
 * What is used of stdlib.h.
 */
#ifndef STUB_STDLIB_H
#define STUB_STDLIB_H

#include <stddef.h>

void *calloc(size_t count, size_t size);
void free(void *memory);
void *malloc(size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *realloc(void *memory, size_t size);

#endif
