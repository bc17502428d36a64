/* SPDX-License-Identifier: MIT
 *
 * The numbers of macOS.
 */
#ifndef STUB_ERRNO_H
#define STUB_ERRNO_H

int *__error(void);
#define errno (*__error())

#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOSPC 28
#define EPIPE 32
#define EAGAIN 35
#define ENOTSOCK 38
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOTCONN 57
#define ESHUTDOWN 58
#define ETIMEDOUT 60
#define ENAMETOOLONG 63
#define ENOSYS 78
#define EOVERFLOW 84

#endif
