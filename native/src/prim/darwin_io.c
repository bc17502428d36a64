/* SPDX-License-Identifier: MIT
 *
 * macOS: the thin calls on descriptors that other systems do in another way. Never run: native/tests/stubs/README.md.
 *
 * Whether a send raises SIGPIPE is a property of the socket here, not of the call.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "native_threading.h"
#include "posix_io.h"

int32_t nth_io_accept(int32_t descriptor, void *address, int32_t *length) {
  socklen_t room = address != NULL ? (socklen_t)*length : 0;
  int accepted;
  UNTIL_NOT_INTERRUPTED(accepted, accept(descriptor, address, address != NULL ? &room : NULL));
  if (accepted < 0) {
    return nth__io_error();
  }
  if (address != NULL) {
    *length = (int32_t)room;
  }
  /* A process that is started between these calls inherits the descriptor: there is no accept4. */
  int32_t error = fcntl(accepted, F_SETFD, FD_CLOEXEC) < 0 ? nth__io_error() : nth_io_set_nonblocking(accepted);
  if (error != 0) {
    nth_io_close(accepted);
    return error;
  }
  return accepted;
}

ssize_t nth__io_send(int descriptor, struct iovec *vector, int32_t count) {
  const int quiet = 1;
  if (setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &quiet, sizeof quiet) < 0 && nth__io_error() == -ENOTSOCK) {
    return -1;
  }
  struct msghdr message = {.msg_iov = vector, .msg_iovlen = count};
  ssize_t sent;
  UNTIL_NOT_INTERRUPTED(sent, sendmsg(descriptor, &message, 0));
  return sent;
}
