/* SPDX-License-Identifier: MIT
 *
 * The numbers of errors. They are Linux's on every system: a caller of the library, perhaps in another language, then needs
 * one table only.
 */
#ifndef NTH__ERRORS_H
#define NTH__ERRORS_H

#include <errno.h>

#if defined(__linux__)
#define UNTIL_NOT_INTERRUPTED(result, call) \
  do {                                      \
    (result) = (call);                      \
  } while ((result) < 0 && errno == EINTR)
#else
#undef EPERM
#undef EAGAIN
#undef ENOMEM
#undef EBUSY
#undef EINVAL
#undef ENOSYS
#undef EOVERFLOW
#undef ETIMEDOUT
#define EPERM 1
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ENOSYS 38
#define EOVERFLOW 75
#define ETIMEDOUT 110
#endif

#endif
