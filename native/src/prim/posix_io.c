/* SPDX-License-Identifier: MIT
 *
 * Linux and macOS: the thin calls on descriptors that are the same on both. They are the door and the public interface in one.
 */
#include "posix_io.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "native_threading.h"

enum { MOST_BUFFERS = 1024 }; /* UIO_MAXIOV */

_Static_assert(sizeof(nth_buffer_t) == sizeof(struct iovec), "a buffer is an iovec");
_Static_assert(offsetof(nth_buffer_t, length) == offsetof(struct iovec, iov_len), "a buffer is an iovec");
_Static_assert((int)NTH_SHUTDOWN_READ == (int)SHUT_RD, "how");
_Static_assert((int)NTH_SHUTDOWN_WRITE == (int)SHUT_WR, "how");
_Static_assert((int)NTH_SHUTDOWN_BOTH == (int)SHUT_RDWR, "how");

int32_t nth_io_set_nonblocking(int32_t descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) {
    return nth__io_error();
  }
  return (flags & O_NONBLOCK) != 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : nth__io_error();
}

int64_t nth_io_read(int32_t descriptor, void *memory, uint64_t length) {
  ssize_t count;
  UNTIL_NOT_INTERRUPTED(count, read(descriptor, memory, (size_t)length));
  return count >= 0 ? count : nth__io_error();
}

/* A read goes through the layer of files first: some 90 ns. */
int64_t nth_io_receive(int32_t descriptor, void *memory, uint64_t length) {
  ssize_t count;
  UNTIL_NOT_INTERRUPTED(count, recv(descriptor, memory, (size_t)length, 0));
  return count >= 0 ? count : nth__io_error();
}

int64_t nth_io_writev(int32_t descriptor, const nth_buffer_t *buffers, int32_t count) {
  if (count < 0 || count > MOST_BUFFERS) {
    return -EINVAL;
  }
  struct iovec *vector = (struct iovec *)(uintptr_t)buffers; /* not written to */
  ssize_t written = nth__io_send(descriptor, vector, count);
  if (written < 0 && nth__io_error() == -ENOTSOCK) { /* a pipe, a terminal */
    UNTIL_NOT_INTERRUPTED(written, writev(descriptor, vector, count));
  }
  return written >= 0 ? written : nth__io_error();
}

int32_t nth_io_shutdown(int32_t descriptor, int32_t how) {
  return shutdown(descriptor, how) == 0 ? 0 : nth__io_error();
}

int32_t nth_io_close(int32_t descriptor) {
  /* EINTR also closes the descriptor; closing it again could close another one with that number. */
  return close(descriptor) == 0 || nth__io_error() == -EINTR ? 0 : nth__io_error();
}
