/* SPDX-License-Identifier: MIT
 *
 * What an event loop has to do with descriptors: its own, looks at others between other work, and the thin calls.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "event_loop_support.h"

/* ---- Its own ------------------------------------------------------------------------------------------- */

TEST(T40_without_descriptors_create_fails_and_leaks_nothing) {
  struct rlimit few = {16, 16};
  CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  nth_event_loop_t *loops[16];
  int count = 0, error;
  while ((error = nth_event_loop_create(&loops[count], NULL)) == 0) {
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
    CHECK_EQ(nth_event_loop_create(&loops[count++], NULL), 0);
  }
  while (count > 0) {
    nth_event_loop_destroy(loops[--count]);
  }
}

/* ---- Looks between other work -------------------------------------------------------------------------- */

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

TEST(T74_a_timer_armed_by_its_own_callback_starves_neither_descriptors_nor_timers) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  CHECK(nth_event_loop_add(f->loop, duct.read, NTH_READY_READ, 100) >= 0);
  put_byte(duct.write);
  int64_t timers[32];
  int fired[32] = {0}, ready = 0;
  for (int i = 0; i < 32; i++) {
    timers[i] = timer_at(f, (uint64_t)i, 0);
  }
  /* More timers than the array holds, all due all the time. */
  for (int polls = 0; polls < 800; polls++) {
    int32_t count = poll_some(f, NTH_POLL_MIN_EVENTS, ENDLESS);
    CHECK(count > 0);
    for (int32_t i = 0; i < count; i++) {
      if (f->events[i].kind == NTH_EVENT_READY) {
        ready++;
      } else {
        fired[f->events[i].token]++;
        CHECK_EQ(nth_event_loop_timer_arm(f->loop, timers[f->events[i].token], 0), 0);
      }
    }
  }
  CHECK(ready >= 800 / 16);
  for (int i = 0; i < 32; i++) {
    CHECK(fired[i] >= 800 * NTH_POLL_MIN_EVENTS / 32 / 3);
    CHECK(fired[i] - fired[0] <= 1 && fired[0] - fired[i] <= 1); /* in turn */
  }
  close_duct(duct);
  close_loop(f);
}

/* ---- Thin calls ---------------------------------------------------------------------------------------- */

TEST(thin_calls_return_counts_or_errors) {
  int32_t listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  CHECK_EQ(bind(listener, (struct sockaddr *)&address, size), 0);
  CHECK_EQ(listen(listener, 8), 0);
  CHECK_EQ(getsockname(listener, (struct sockaddr *)&address, &size), 0);
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
  CHECK_EQ(nth_io_receive(server, text, sizeof text), -EAGAIN);
  char hello[] = "hello, ", world[] = "world";
  nth_buffer_t buffers[] = {{hello, 7}, {world, 5}};
  CHECK_EQ(nth_io_writev(client, buffers, 2), 12);
  int64_t handle = nth_event_loop_add(f->loop, server, NTH_READY_READ, 2);
  CHECK_EQ(poll_one(f, ENDLESS).token, 2);
  CHECK_EQ(nth_io_read(server, text, sizeof text), 12);
  CHECK_EQ(strcmp(text, "hello, world"), 0);
  CHECK_EQ(nth_io_read(server, text, sizeof text), -EAGAIN);
  CHECK_EQ(nth_io_writev(client, buffers, 1), 7);
  CHECK_EQ(nth_io_receive(server, text, sizeof text), 7);
  CHECK_EQ(memcmp(text, hello, 7), 0);

  /* A half-close is reported, and the other half stays usable. */
  CHECK_EQ(nth_io_shutdown(client, NTH_SHUTDOWN_WRITE), 0);
  CHECK_EQ(poll_one(f, ENDLESS).flags, NTH_READY_READ | NTH_READY_PEER_CLOSED);
  CHECK_EQ(nth_io_read(server, text, sizeof text), 0);
  CHECK_EQ(nth_io_receive(server, text, sizeof text), 0);
  CHECK_EQ(nth_io_writev(server, buffers, 2), 12);

  CHECK_EQ(nth_event_loop_remove(f->loop, handle), 0);
  CHECK_EQ(nth_io_shutdown(server, NTH_SHUTDOWN_WRITE), 0);
  CHECK_EQ(nth_io_writev(server, buffers, 2), -EPIPE); /* and no signal */
  CHECK_EQ(close(server), 0);
  CHECK_EQ(close(client), 0);
  CHECK_EQ(close(listener), 0);
  CHECK_EQ(nth_io_read(listener, text, 1), -EBADF);
  CHECK_EQ(nth_io_receive(listener, text, 1), -EBADF);
  CHECK_EQ(nth_io_accept(listener, NULL, NULL), -EBADF);
  CHECK_EQ(nth_io_writev(listener, buffers, 1025), -EINVAL);
  CHECK_EQ(nth_io_shutdown(listener, NTH_SHUTDOWN_WRITE), -EBADF);
  close_loop(f);
}

TEST(receive_takes_sockets_only) {
  char byte;
  duct_t duct = open_pipe();
  CHECK_EQ(nth_io_receive(duct.read, &byte, 1), -ENOTSOCK);
  close_duct(duct);
}
