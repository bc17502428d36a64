/* SPDX-License-Identifier: MIT
 *
 * Systems without descriptors in the sense of the thin calls: each call says so.
 */
#include "errors.h"
#include "native_threading.h"

int32_t nth_io_set_nonblocking(int32_t descriptor) {
  (void)descriptor;
  return -ENOSYS;
}

int32_t nth_io_accept(int32_t descriptor, void *address, int32_t *length) {
  (void)descriptor, (void)address, (void)length;
  return -ENOSYS;
}

int64_t nth_io_read(int32_t descriptor, void *memory, uint64_t length) {
  (void)descriptor, (void)memory, (void)length;
  return -ENOSYS;
}

int64_t nth_io_receive(int32_t descriptor, void *memory, uint64_t length) {
  (void)descriptor, (void)memory, (void)length;
  return -ENOSYS;
}

int64_t nth_io_writev(int32_t descriptor, const nth_buffer_t *buffers, int32_t count) {
  (void)descriptor, (void)buffers, (void)count;
  return -ENOSYS;
}

int32_t nth_io_shutdown(int32_t descriptor, int32_t how) {
  (void)descriptor, (void)how;
  return -ENOSYS;
}

int32_t nth_io_close(int32_t descriptor) {
  (void)descriptor;
  return -ENOSYS;
}
