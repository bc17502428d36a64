/* SPDX-License-Identifier: MIT
 *
 * What is used of string.h.
 */
#ifndef STUB_STRING_H
#define STUB_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *memory, int value, size_t size);

#endif
