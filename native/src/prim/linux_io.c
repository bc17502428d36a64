/* SPDX-License-Identifier: MIT
 *
 * Linux: the thin calls on descriptors. They are the door and the public interface in one.
 */
#define _GNU_SOURCE

#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "errors.h"
#include "native_threading.h"

enum { MOST_BUFFERS = 1024 }; /* UIO_MAXIOV */

_Static_assert(sizeof(nth_buffer_t) == sizeof(struct iovec), "a buffer is an iovec");
_Static_assert(offsetof(nth_buffer_t, length) == offsetof(struct iovec, iov_len), "a buffer is an iovec");
_Static_assert((int)NTH_SHUTDOWN_WRITE == (int)SHUT_WR, "how");

int32_t nth_io_accept(int32_t descriptor, void *address, int32_t *length) {
  socklen_t room = address != NULL ? (socklen_t)*length : 0;
  int accepted;
  UNTIL_NOT_INTERRUPTED(
      accepted, accept4(descriptor, address, address != NULL ? &room : NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted >= 0 && address != NULL) {
    *length = (int32_t)room;
  }
  return accepted >= 0 ? accepted : -errno;
}

int64_t nth_io_read(int32_t descriptor, void *memory, uint64_t length) {
  ssize_t count;
  UNTIL_NOT_INTERRUPTED(count, read(descriptor, memory, (size_t)length));
  return count >= 0 ? count : -errno;
}

/* A read goes through the layer of files first: some 90 ns. */
int64_t nth_io_receive(int32_t descriptor, void *memory, uint64_t length) {
  ssize_t count;
  UNTIL_NOT_INTERRUPTED(count, recv(descriptor, memory, (size_t)length, 0));
  return count >= 0 ? count : -errno;
}

/* One buffer needs no vector, which the kernel would have to fetch and check for each message. */
static ssize_t send_on_socket(int descriptor, struct iovec *vector, int32_t count) {
  ssize_t sent;
  if (count == 1) {
    UNTIL_NOT_INTERRUPTED(sent, send(descriptor, vector->iov_base, vector->iov_len, MSG_NOSIGNAL));
  } else {
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = (size_t)count};
    UNTIL_NOT_INTERRUPTED(sent, sendmsg(descriptor, &message, MSG_NOSIGNAL));
  }
  return sent;
}

int64_t nth_io_writev(int32_t descriptor, const nth_buffer_t *buffers, int32_t count) {
  if (count < 0 || count > MOST_BUFFERS) {
    return -EINVAL;
  }
  struct iovec *vector = (struct iovec *)(uintptr_t)buffers; /* not written to */
  ssize_t written = send_on_socket(descriptor, vector, count);
  if (written < 0 && errno == ENOTSOCK) { /* a pipe, a terminal */
    UNTIL_NOT_INTERRUPTED(written, writev(descriptor, vector, count));
  }
  return written >= 0 ? written : -errno;
}

int32_t nth_io_shutdown(int32_t descriptor, int32_t how) {
  return shutdown(descriptor, how) == 0 ? 0 : -errno;
}
