/* SPDX-License-Identifier: MIT
 *
 * The numbers of errors. They are Linux's on every system: who calls the library, perhaps from another language, then needs
 * one table only. Elsewhere the system's numbers are known to the door alone (darwin_errors.c; Windows has none).
 */
#ifndef NTH__ERRORS_H
#define NTH__ERRORS_H

#include <errno.h>

#if !defined(__linux__)
#undef EPERM
#undef ENOENT
#undef ESRCH
#undef EIO
#undef EBADF
#undef EAGAIN
#undef ENOMEM
#undef EACCES
#undef EBUSY
#undef EEXIST
#undef EINVAL
#undef ENFILE
#undef EMFILE
#undef ENOSPC
#undef EPIPE
#undef ENAMETOOLONG
#undef ENOSYS
#undef EOVERFLOW
#undef ENOTSOCK
#undef ECONNABORTED
#undef ECONNRESET
#undef ENOTCONN
#undef ESHUTDOWN
#undef ETIMEDOUT
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOSPC 28
#define EPIPE 32
#define ENAMETOOLONG 36
#define ENOSYS 38
#define EOVERFLOW 75
#define ENOTSOCK 88
#define ECONNABORTED 103
#define ECONNRESET 104
#define ENOTCONN 107
#define ESHUTDOWN 108
#define ETIMEDOUT 110
#endif

#endif
