/* SPDX-License-Identifier: MIT
 *
 * What the thin calls of Linux and macOS share: posix_io.c.
 */
#ifndef NTH__POSIX_IO_H
#define NTH__POSIX_IO_H

#include <stdint.h>
#include <sys/types.h>

#include "errors.h"

struct iovec;

/* What the last call of the system that failed has left, negative, with Linux's number: linux_io.c, darwin_errors.c. */
int nth__io_error(void);

/* Sends on a socket, without a signal where the peer has gone. A count, or -1 and an error for nth__io_error. */
ssize_t nth__io_send(int descriptor, struct iovec *vector, int32_t count);

#define UNTIL_NOT_INTERRUPTED(result, call) \
  do {                                      \
    (result) = (call);                      \
  } while ((result) < 0 && nth__io_error() == -EINTR)

#endif
