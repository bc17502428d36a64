/* SPDX-License-Identifier: MIT
 *
 * Systems where a loop watches no descriptors: it says so, and goes on.
 */
#include "event_loop_support.h"

TEST(descriptors_are_refused_and_the_loop_goes_on) {
  fixture_t *f = open_loop();
  CHECK_EQ(nth_event_loop_descriptor(f->loop), -ENOSYS);
  for (int32_t descriptor = 0; descriptor < 3; descriptor++) {
    CHECK_EQ(nth_event_loop_add(f->loop, descriptor, NTH_READY_READ, 1), -ENOSYS);
  }
  timer_at(f, 2, now_ns() + MS);
  CHECK_EQ(poll_one(f, ENDLESS).token, 2);
  CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), 1);
  CHECK_EQ(poll_one(f, ENDLESS).kind, NTH_EVENT_WAKE);
  close_loop(f);
}

TEST(thin_calls_are_refused) {
  char byte;
  nth_buffer_t buffer = {&byte, 1};
  CHECK_EQ(nth_io_set_nonblocking(0), -ENOSYS);
  CHECK_EQ(nth_io_accept(0, NULL, NULL), -ENOSYS);
  CHECK_EQ(nth_io_read(0, &byte, 1), -ENOSYS);
  CHECK_EQ(nth_io_receive(0, &byte, 1), -ENOSYS);
  CHECK_EQ(nth_io_writev(0, &buffer, 1), -ENOSYS);
  CHECK_EQ(nth_io_shutdown(0, NTH_SHUTDOWN_BOTH), -ENOSYS);
  CHECK_EQ(nth_io_close(0), -ENOSYS);
}
