/* SPDX-License-Identifier: MIT
 *
 * Descriptors that were closed before they were removed, while the file lives on elsewhere.
 */
#include <fcntl.h>
#include <unistd.h>

#include "event_loop_support.h"

static int64_t add(fixture_t *f, int32_t descriptor, uint32_t interest, uint64_t token) {
  int64_t handle = nth_event_loop_add(f->loop, descriptor, interest, token);
  CHECK(handle >= 0);
  return handle;
}

/* Waits of a loop that has nothing to do, while a timer runs. */
static int64_t waits_until_timer(fixture_t *f) {
  int64_t before = stats_of(f).waits;
  timer_at(f, 77, now_ns() + 20 * 1000 * 1000);
  for (nth_event_t event = {0}; event.kind != NTH_EVENT_TIMER;) {
    event = poll_one(f, -1);
  }
  return stats_of(f).waits - before;
}

TEST(T140_a_file_that_no_number_names_any_more_does_not_keep_the_loop_awake) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe(), other = open_pipe(), edge = open_sockets();
  add(f, other.read, NTH_READY_READ, 2);
  add(f, edge.read, NTH_READY_READ | NTH_READY_EDGE, 3);
  int64_t old = add(f, duct.read, NTH_READY_READ, 1);
  int32_t copy = dup(duct.read), epoll = nth_event_loop_descriptor(f->loop);
  put_byte(duct.write);
  CHECK_EQ(close(duct.read), 0);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), 0);
  CHECK(waits_until_timer(f) < 10);
  CHECK_EQ(nth_event_loop_descriptor(f->loop), epoll);
  CHECK((fcntl(epoll, F_GETFD) & FD_CLOEXEC) != 0);

  /* All others are watched as before. */
  put_byte(other.write);
  CHECK_EQ(poll_one(f, -1).token, 2);
  take_byte(other.read);
  put_byte(edge.write);
  CHECK_EQ(poll_one(f, -1).token, 3);
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), 1);
  CHECK_EQ(poll_one(f, -1).kind, NTH_EVENT_WAKE);
  CHECK(waits_until_timer(f) < 10);
  CHECK_EQ(close(copy), 0);
  CHECK_EQ(close(duct.write), 0);
  close_duct(other);
  close_duct(edge);
  close_loop(f);
}

TEST(T140_the_number_may_be_another_files_by_then_registered_or_not) {
  for (int registered = 0; registered < 2; registered++) {
    fixture_t *f = open_loop();
    duct_t duct = open_pipe();
    int64_t old = add(f, duct.read, NTH_READY_READ, 1);
    int32_t copy = dup(duct.read);
    CHECK_EQ(close(duct.read), 0);
    duct_t other = open_pipe();
    CHECK_EQ(other.read, duct.read);
    if (registered != 0) {
      add(f, other.read, NTH_READY_READ, 2);
    } else {
      CHECK_EQ(nth_event_loop_remove(f->loop, old), 0);
    }
    put_byte(duct.write);
    CHECK(waits_until_timer(f) < 10);
    put_byte(other.write);
    if (registered != 0) {
      CHECK_EQ(poll_one(f, -1).token, 2);
    } else {
      CHECK_EQ(poll_for(f, 0), 0);
    }
    CHECK_EQ(close(copy), 0);
    CHECK_EQ(close(duct.write), 0);
    close_duct(other);
    close_loop(f);
  }
}

TEST(T140_what_was_closed_unnoticed_is_told_of_an_error_and_watches_nobody_elses_file) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe(), closed = open_pipe(), reused = open_pipe();
  int64_t old = add(f, duct.read, NTH_READY_READ, 1);
  add(f, closed.read, NTH_READY_READ, 2);
  add(f, reused.read, NTH_READY_READ, 3);
  int32_t copy = dup(duct.read);
  CHECK_EQ(close(reused.read), 0);
  duct_t stranger = open_pipe();
  CHECK_EQ(stranger.read, reused.read);
  put_byte(stranger.write);
  CHECK_EQ(close(closed.read), 0);
  CHECK_EQ(close(duct.read), 0);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), 0);
  put_byte(duct.write);

  CHECK_EQ(poll_for(f, 0), 2);
  for (int i = 0; i < 2; i++) {
    CHECK(f->events[i].token == 2 || f->events[i].token == 3);
    CHECK_EQ(f->events[i].flags, NTH_READY_ERROR);
  }
  CHECK(f->events[0].token != f->events[1].token);
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK(waits_until_timer(f) < 10);
  CHECK_EQ(close(copy), 0);
  CHECK_EQ(close(duct.write), 0);
  CHECK_EQ(close(closed.write), 0);
  CHECK_EQ(close(reused.write), 0);
  close_duct(stranger);
  close_loop(f);
}

TEST(T140_more_that_was_closed_than_the_array_holds_is_told_of_in_turn) {
  enum { DUCTS = 40 };
  fixture_t *f = open_loop();
  duct_t duct = open_pipe(), ducts[DUCTS];
  int64_t old = add(f, duct.read, NTH_READY_READ, DUCTS);
  int seen[DUCTS] = {0}, different = 0;
  for (int i = 0; i < DUCTS; i++) {
    ducts[i] = open_pipe();
    add(f, ducts[i].read, NTH_READY_READ, (uint64_t)i);
  }
  int32_t copy = dup(duct.read);
  for (int i = 0; i < DUCTS; i++) {
    close_duct(ducts[i]);
  }
  CHECK_EQ(close(duct.read), 0);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), 0);
  put_byte(duct.write);
  for (int polls = 0; different < DUCTS; polls++) {
    CHECK(polls < 40);
    int32_t count = poll_some(f, NTH_POLL_MIN_EVENTS, 0);
    for (int32_t i = 0; i < count; i++) {
      CHECK_EQ(seen[f->events[i].token]++, 0);
      different++;
    }
  }
  CHECK(waits_until_timer(f) < 10);
  CHECK_EQ(close(copy), 0);
  CHECK_EQ(close(duct.write), 0);
  close_loop(f);
}

TEST(T140_a_number_that_names_its_file_again_can_be_added_again) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  int64_t old = add(f, duct.read, NTH_READY_READ, 1);
  int32_t copy = dup(duct.read);
  CHECK_EQ(close(duct.read), 0);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), 0);
  CHECK_EQ(dup2(copy, duct.read), duct.read);
  add(f, duct.read, NTH_READY_READ, 2);
  CHECK_EQ(nth_event_loop_add(f->loop, duct.read, NTH_READY_READ, 3), -EEXIST);
  put_byte(duct.write);
  CHECK_EQ(poll_one(f, 0).token, 2);
  CHECK_EQ(close(copy), 0);
  close_duct(duct);
  close_loop(f);
}

TEST(T140_a_hangup_that_was_told_without_interest_is_not_told_again_by_the_new_poller) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe(), quiet = open_pipe();
  add(f, quiet.read, 0, 2);
  CHECK_EQ(close(quiet.write), 0);
  CHECK_EQ(poll_one(f, 0).token, 2);

  int64_t old = add(f, duct.read, NTH_READY_READ, 1);
  int32_t copy = dup(duct.read);
  CHECK_EQ(close(duct.read), 0);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), 0);
  put_byte(duct.write);
  int64_t controls = stats_of(f).controls;
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(poll_for(f, 0), 0);
  }
  CHECK(stats_of(f).controls > controls); /* it was renewed */
  CHECK_EQ(close(copy), 0);
  CHECK_EQ(close(duct.write), 0);
  CHECK_EQ(close(quiet.read), 0);
  close_loop(f);
}
