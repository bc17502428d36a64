/* SPDX-License-Identifier: MIT
 *
 * The event loop as a whole: its life, what a poll returns and when, what it costs when nothing happens, and the
 * thin calls.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "event_loop_support.h"
#include "failpoints.h"

TEST(a_thousand_loops_come_and_go) {
  for (int round = 0; round < 3; round++) {
    static nth_event_loop_t *loops[300];
    for (int i = 0; i < 300; i++) {
      CHECK_EQ(nth_event_loop_create(&loops[i]), 0);
      CHECK_EQ(nth_event_loop_wake(loops[i], 0), 0);
    }
    for (int i = 0; i < 300; i++) {
      nth_event_loop_destroy(loops[i]);
    }
  }
  for (int i = 0; i < 1000; i++) {
    nth_event_loop_t *loop;
    CHECK_EQ(nth_event_loop_create(&loop), 0);
    CHECK(nth_event_loop_timer_create(loop, 1) >= 0);
    CHECK(nth_event_loop_descriptor(loop) < 64); /* each gives its descriptors back */
    nth_event_loop_destroy(loop);
  }
}

TEST(T40_without_descriptors_create_fails_and_leaks_nothing) {
  struct rlimit few = {16, 16};
  CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  nth_event_loop_t *loops[16];
  int count = 0, error;
  while ((error = nth_event_loop_create(&loops[count])) == 0) {
    count++;
  }
  CHECK_EQ(error, -EMFILE);
  CHECK(loops[count] == NULL);
  int again = 0;
  while (count > 0) {
    nth_event_loop_destroy(loops[--count]);
    again++;
  }
  for (; again > 0; again--) {
    CHECK_EQ(nth_event_loop_create(&loops[count++]), 0);
  }
  while (count > 0) {
    nth_event_loop_destroy(loops[--count]);
  }
}

TEST(a_closed_loop_refuses_everything) {
  fixture_t *f = open_loop();
  int64_t timer = timer_at(f, 1, 0);
  nth_event_loop_close(f->loop);
  nth_event_loop_close(f->loop);
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_wake(f->loop, NTH_WAKE_KERNEL), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_poll(f->loop, f->events, EVENTS, 0, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_add(f->loop, 0, NTH_READY_READ, 1), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_modify(f->loop, 0, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_remove(f->loop, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_create(f->loop, 1), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, 0), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_cancel(f->loop, timer), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_timer_destroy(f->loop, timer), -ESHUTDOWN);
  CHECK_EQ(nth_event_loop_descriptor(f->loop), -ESHUTDOWN);
  close_loop(f);
}

TEST(T66_bad_input_leaves_the_loop_running) {
  fixture_t *f = open_loop();
  int64_t timer = nth_event_loop_timer_create(f->loop, 7);
  CHECK_EQ(nth_event_loop_poll(f->loop, f->events, NTH_POLL_MIN_EVENTS - 1, 0, 0), -EINVAL);
  CHECK_EQ(nth_event_loop_add(f->loop, -1, NTH_READY_READ, 1), -EBADF);
  CHECK_EQ(nth_event_loop_add(f->loop, INT32_MAX, NTH_READY_READ, 1), -EBADF);
  CHECK_EQ(nth_event_loop_add(f->loop, 0, 1u << 30, 1), -EINVAL);
  CHECK_EQ(nth_event_loop_modify(f->loop, -1, NTH_READY_READ), -ENOENT);
  CHECK_EQ(nth_event_loop_remove(f->loop, INT64_MAX), -ENOENT);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, -1), -EINVAL);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer + 1, 0), -ENOENT);
  CHECK_EQ(nth_event_loop_timer_cancel(f->loop, -1), -ENOENT);
  CHECK_EQ(nth_event_loop_timer_arm(f->loop, timer, 0), 0);
  CHECK_EQ(poll_one(f, ENDLESS).token, 7);
  close_loop(f);
}

TEST(T81_a_timeout_is_never_early) {
  fixture_t *f = open_loop();
  static const int64_t timeouts[] = {0, 1, 999, 100 * US, MS + 1, 20 * MS};
  for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
    int64_t begin = now_ns();
    CHECK_EQ(poll_for(f, timeouts[i]), 0);
    CHECK(now_ns() - begin >= timeouts[i]);
  }
  CHECK(stats_of(f).waits <= 8); /* whole milliseconds, rounded down, would poll */
  close_loop(f);
}

static void wake_later(void *argument) {
  fixture_t *f = argument;
  await_held(); /* the loop is about to enter the kernel */
  let_go();
  spin_for(2 * MS);
  CHECK_EQ(nth_event_loop_wake(f->loop, 0), 1);
}

TEST(T78_a_poll_with_nothing_due_blocks_and_an_idle_loop_makes_no_calls) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  CHECK(nth_event_loop_add(f->loop, duct.read, NTH_READY_READ, 1) >= 0);
  timer_at(f, 2, now_ns() + 3600 * SEC);
  int64_t before = calls_of(f);
  hold_at(NTH__AT_LOOP_BLOCK);
  thread_t thread;
  start_thread(&thread, wake_later, f);
  CHECK_EQ(poll_one(f, ENDLESS).kind, NTH_EVENT_WAKE);
  join_thread(&thread);
  CHECK_EQ(calls_of(f) - before, 3); /* one sleep, the write and its read: nothing while it lasted */
  close_duct(duct);
  close_loop(f);
}

TEST(a_poll_that_is_asked_to_looks_at_descriptors_beside_due_timers) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  CHECK(nth_event_loop_add(f->loop, duct.read, NTH_READY_READ, 1) >= 0);
  for (int i = 0; i < 50; i++) { /* without being asked, a poll that follows a look within 20 us makes none */
    CHECK_EQ(poll_for(f, 0), 0);
    put_byte(duct.write);
    timer_at(f, 2, 0);
    CHECK_EQ(nth_event_loop_poll(f->loop, f->events, EVENTS, 0, NTH_POLL_LOOK), 2);
    take_byte(duct.read);
  }
  close_duct(duct);
  close_loop(f);
}

/* ---- Thin calls ---------------------------------------------------------------------------------------- */

TEST(thin_calls_return_counts_or_errors) {
  int32_t listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  CHECK_EQ(bind(listener, (struct sockaddr *)&address, size), 0);
  CHECK_EQ(listen(listener, 8), 0);
  CHECK_EQ(getsockname(listener, (struct sockaddr *)&address, &size), 0);
  CHECK_EQ(nth_io_set_nonblocking(listener), 0);
  CHECK_EQ(nth_io_set_nonblocking(listener), 0);
  CHECK_EQ(nth_io_accept(listener, NULL, NULL), -EAGAIN);

  fixture_t *f = open_loop();
  CHECK(nth_event_loop_add(f->loop, listener, NTH_READY_READ, 1) >= 0);
  int32_t client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(connect(client, (struct sockaddr *)&address, size), 0);
  CHECK_EQ(poll_one(f, ENDLESS).flags, NTH_READY_READ);
  struct sockaddr_in peer = {0}, own = {0};
  int32_t length = sizeof peer;
  int32_t server = nth_io_accept(listener, &peer, &length);
  CHECK(server >= 0);
  CHECK_EQ(length, (int32_t)sizeof peer);
  CHECK_EQ(getsockname(client, (struct sockaddr *)&own, &size), 0);
  CHECK_EQ(peer.sin_family, AF_INET);
  CHECK_EQ(peer.sin_port, own.sin_port);
  CHECK_EQ(peer.sin_addr.s_addr, own.sin_addr.s_addr);

  char text[16] = {0};
  CHECK_EQ(nth_io_read(server, text, sizeof text), -EAGAIN);
  char hello[] = "hello, ", world[] = "world";
  nth_buffer_t buffers[] = {{hello, 7}, {world, 5}};
  CHECK_EQ(nth_io_writev(client, buffers, 2), 12);
  int64_t handle = nth_event_loop_add(f->loop, server, NTH_READY_READ, 2);
  CHECK_EQ(poll_one(f, ENDLESS).token, 2);
  char first[8] = {0};
  nth_buffer_t halves[] = {{first, 7}, {text, sizeof text}};
  CHECK_EQ(nth_io_readv(server, halves, 2), 12);
  CHECK_EQ(strcmp(first, "hello, "), 0);
  CHECK_EQ(strcmp(text, "world"), 0);
  CHECK_EQ(nth_io_readv(server, halves, 2), -EAGAIN);

  /* A half-close is told, and the other half goes on. */
  CHECK_EQ(nth_io_shutdown(client, NTH_SHUTDOWN_WRITE), 0);
  CHECK_EQ(poll_one(f, ENDLESS).flags, NTH_READY_READ | NTH_READY_PEER_CLOSED);
  CHECK_EQ(nth_io_read(server, text, sizeof text), 0);
  CHECK_EQ(nth_io_writev(server, buffers, 2), 12);

  CHECK_EQ(nth_event_loop_remove(f->loop, handle), 0);
  CHECK_EQ(nth_io_shutdown(server, NTH_SHUTDOWN_BOTH), 0);
  CHECK_EQ(nth_io_writev(server, buffers, 2), -EPIPE); /* and no signal */
  CHECK_EQ(nth_io_close(server), 0);
  CHECK_EQ(nth_io_close(client), 0);
  CHECK_EQ(nth_io_close(listener), 0);
  CHECK_EQ(nth_io_close(listener), -EBADF);
  CHECK_EQ(nth_io_read(listener, text, 1), -EBADF);
  CHECK_EQ(nth_io_accept(listener, NULL, NULL), -EBADF);
  CHECK_EQ(nth_io_writev(listener, buffers, 1025), -EINVAL);
  CHECK_EQ(nth_io_readv(listener, buffers, 1025), -EINVAL);
  CHECK_EQ(nth_io_readv(listener, buffers, 2), -EBADF);
  CHECK_EQ(nth_io_reset(listener), -EBADF);
  CHECK_EQ(nth_io_shutdown(listener, NTH_SHUTDOWN_BOTH), -EBADF);
  CHECK_EQ(nth_io_set_nonblocking(listener), -EBADF);
  close_loop(f);
}

/* A connected pair over TCP. */
static duct_t open_connection(void) {
  int32_t listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  CHECK_EQ(bind(listener, (struct sockaddr *)&address, size), 0);
  CHECK_EQ(listen(listener, 1), 0);
  CHECK_EQ(getsockname(listener, (struct sockaddr *)&address, &size), 0);
  duct_t duct = {.read = socket(AF_INET, SOCK_STREAM, 0)};
  CHECK_EQ(connect(duct.read, (struct sockaddr *)&address, size), 0);
  duct.write = nth_io_accept(listener, NULL, NULL);
  CHECK(duct.write >= 0);
  CHECK_EQ(nth_io_close(listener), 0);
  return duct;
}

TEST(a_reset_is_what_the_peer_reads) {
  char byte;
  duct_t duct = open_connection();
  put_byte(duct.write);
  CHECK_EQ(nth_io_reset(duct.write), 0);
  take_byte(duct.read); /* had arrived */
  CHECK_EQ(nth_io_read(duct.read, &byte, 1), -ECONNRESET);
  CHECK(nth_io_read(duct.write, &byte, 1) <= 0); /* the descriptor is open, and nothing comes any more */
  close_duct(duct);

  duct = open_sockets(); /* of another kind: an end */
  CHECK_EQ(nth_io_reset(duct.write), 0);
  CHECK_EQ(nth_io_read(duct.read, &byte, 1), 0);
  close_duct(duct);

  duct = open_pipe();
  CHECK_EQ(nth_io_reset(duct.write), -ENOTSOCK);
  close_duct(duct);
}
