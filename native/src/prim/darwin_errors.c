/* SPDX-License-Identifier: MIT
 *
 * macOS: its numbers of errors, and Linux's, which the library reports (errors.h). A number that is not listed, and that no call
 * here is documented to give, is reported as EIO.
 */
#include <errno.h>

/* Taken before errors.h gives the names their other meaning. */
enum {
  SYSTEM_EPERM = EPERM,
  SYSTEM_ENOENT = ENOENT,
  SYSTEM_ESRCH = ESRCH,
  SYSTEM_EINTR = EINTR,
  SYSTEM_EBADF = EBADF,
  SYSTEM_EAGAIN = EAGAIN,
  SYSTEM_ENOMEM = ENOMEM,
  SYSTEM_EACCES = EACCES,
  SYSTEM_EBUSY = EBUSY,
  SYSTEM_EEXIST = EEXIST,
  SYSTEM_EINVAL = EINVAL,
  SYSTEM_ENFILE = ENFILE,
  SYSTEM_EMFILE = EMFILE,
  SYSTEM_ENOSPC = ENOSPC,
  SYSTEM_EPIPE = EPIPE,
  SYSTEM_ENOTSOCK = ENOTSOCK,
  SYSTEM_ECONNABORTED = ECONNABORTED,
  SYSTEM_ECONNRESET = ECONNRESET,
  SYSTEM_ENOTCONN = ENOTCONN,
  SYSTEM_ETIMEDOUT = ETIMEDOUT,
};

#include "darwin_errors.h"
#include "posix_io.h"

int nth__error_of(int system) {
  switch (system) {
    case SYSTEM_EPERM:
      return EPERM;
    case SYSTEM_ENOENT:
      return ENOENT;
    case SYSTEM_ESRCH:
      return ESRCH;
    case SYSTEM_EINTR:
      return EINTR;
    case SYSTEM_EBADF:
      return EBADF;
    case SYSTEM_EAGAIN:
      return EAGAIN;
    case SYSTEM_ENOMEM:
      return ENOMEM;
    case SYSTEM_EACCES:
      return EACCES;
    case SYSTEM_EBUSY:
      return EBUSY;
    case SYSTEM_EEXIST:
      return EEXIST;
    case SYSTEM_EINVAL:
      return EINVAL;
    case SYSTEM_ENFILE:
      return ENFILE;
    case SYSTEM_EMFILE:
      return EMFILE;
    case SYSTEM_ENOSPC:
      return ENOSPC;
    case SYSTEM_EPIPE:
      return EPIPE;
    case SYSTEM_ENOTSOCK:
      return ENOTSOCK;
    case SYSTEM_ECONNABORTED:
      return ECONNABORTED;
    case SYSTEM_ECONNRESET:
      return ECONNRESET;
    case SYSTEM_ENOTCONN:
      return ENOTCONN;
    case SYSTEM_ETIMEDOUT:
      return ETIMEDOUT;
    default:
      return EIO;
  }
}

int nth__io_error(void) {
  return -nth__error_of(errno);
}
