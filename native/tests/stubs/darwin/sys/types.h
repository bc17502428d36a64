/* SPDX-License-Identifier: MIT
 *
 * Types of macOS.
 */
#ifndef STUB_SYS_TYPES_H
#define STUB_SYS_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef long ssize_t;
typedef int64_t off_t;
typedef uint16_t mode_t;
typedef int32_t pid_t;
typedef uint32_t socklen_t;

#endif
