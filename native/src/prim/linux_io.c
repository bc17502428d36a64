/* SPDX-License-Identifier: MIT
 *
 * Linux: the thin calls on descriptors that other systems do in another way. The rest is in posix_io.c.
 */
#define _GNU_SOURCE

#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "native_threading.h"
#include "posix_io.h"

int nth__io_error(void) {
  return -errno;
}

int32_t nth_io_accept(int32_t descriptor, void *address, int32_t *length) {
  socklen_t room = address != NULL ? (socklen_t)*length : 0;
  int accepted;
  UNTIL_NOT_INTERRUPTED(
      accepted, accept4(descriptor, address, address != NULL ? &room : NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted >= 0 && address != NULL) {
    *length = (int32_t)room;
  }
  return accepted >= 0 ? accepted : nth__io_error();
}

/* One buffer needs no vector, which the kernel would have to fetch and check for each message. */
ssize_t nth__io_send(int descriptor, struct iovec *vector, int32_t count) {
  ssize_t sent;
  if (count == 1) {
    UNTIL_NOT_INTERRUPTED(sent, send(descriptor, vector->iov_base, vector->iov_len, MSG_NOSIGNAL));
  } else {
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = (size_t)count};
    UNTIL_NOT_INTERRUPTED(sent, sendmsg(descriptor, &message, MSG_NOSIGNAL));
  }
  return sent;
}
