/* SPDX-License-Identifier: MIT
 *
 * The numbers of macOS.
 */
#ifndef STUB_ERRNO_H
#define STUB_ERRNO_H

int *__error(void);
#define errno (*__error())

#define EPERM 1
#define EINTR 4
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define EAGAIN 35
#define ETIMEDOUT 60
#define ENOSYS 78
#define EOVERFLOW 84

#endif
