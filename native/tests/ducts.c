/* SPDX-License-Identifier: MIT
 *
 * Pipes and sockets for the tests of the event loop.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "event_loop_support.h"

void watch_a_silent_pipe(fixture_t *fixture) {
  fixture->silent = open_pipe();
  fixture->watches = true;
  CHECK(nth_event_loop_add(fixture->loop, fixture->silent.read, NTH_READY_READ, 1) >= 0);
}

void check_shown_outside(const fixture_t *fixture, bool shown) {
  struct pollfd descriptor = {.fd = nth_event_loop_descriptor(fixture->loop), .events = POLLIN};
  CHECK_EQ(poll(&descriptor, 1, 0), shown);
}

duct_t open_pipe(void) {
  int ends[2];
  CHECK_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  return (duct_t){ends[0], ends[1]};
}

duct_t open_sockets(void) {
  int ends[2];
  CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  return (duct_t){ends[0], ends[1]};
}

void close_duct(duct_t duct) {
  CHECK_EQ(close(duct.read), 0);
  CHECK_EQ(close(duct.write), 0);
}

void put_byte(int32_t descriptor) {
  char byte = 'x';
  nth_buffer_t buffer = {&byte, 1};
  CHECK_EQ(nth_io_writev(descriptor, &buffer, 1), 1);
}

void take_byte(int32_t descriptor) {
  char byte;
  CHECK_EQ(nth_io_read(descriptor, &byte, 1), 1);
}
