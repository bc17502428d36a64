/* SPDX-License-Identifier: MIT
 *
 * Descriptors registered with an event loop.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event_loop_support.h"

static int64_t add(fixture_t *f, int32_t descriptor, uint32_t interest, uint64_t token) {
  int64_t handle = nth_event_loop_add(f->loop, descriptor, interest, token);
  CHECK(handle >= 0);
  return handle;
}

TEST(level_triggered_readiness_is_told_for_as_long_as_it_lasts) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  add(f, duct.read, NTH_READY_READ, UINT64_MAX);
  CHECK_EQ(poll_for(f, 0), 0);
  put_byte(duct.write);
  for (int i = 0; i < 3; i++) {
    nth_event_t event = poll_one(f, 0);
    CHECK_EQ(event.kind, NTH_EVENT_READY);
    CHECK_EQ(event.flags, NTH_READY_READ);
    CHECK(event.token == UINT64_MAX);
  }
  take_byte(duct.read);
  CHECK_EQ(poll_for(f, 0), 0);
  close_duct(duct);
  close_loop(f);
}

TEST(edge_triggered_readiness_is_told_once_a_change) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  int64_t handle = add(f, duct.read, NTH_READY_READ | NTH_READY_EDGE, 1);
  put_byte(duct.write);
  CHECK_EQ(poll_for(f, 0), 1);
  CHECK_EQ(poll_for(f, 0), 0);
  put_byte(duct.write);
  CHECK_EQ(poll_for(f, 0), 1);
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK_EQ(nth_event_loop_modify(f->loop, handle, NTH_READY_READ | NTH_READY_EDGE), 0);
  CHECK_EQ(poll_for(f, 0), 1); /* once more */
  CHECK_EQ(poll_for(f, 0), 0);
  close_duct(duct);
  close_loop(f);
}

TEST(modify_changes_what_is_told) {
  fixture_t *f = open_loop();
  duct_t duct = open_sockets();
  int64_t handle = add(f, duct.read, NTH_READY_READ, 5);
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK_EQ(nth_event_loop_modify(f->loop, handle, NTH_READY_WRITE), 0);
  CHECK_EQ(poll_one(f, 0).flags, NTH_READY_WRITE);
  CHECK_EQ(nth_event_loop_modify(f->loop, handle, NTH_READY_READ | NTH_READY_WRITE), 0);
  put_byte(duct.write);
  CHECK_EQ(poll_one(f, 0).flags, NTH_READY_READ | NTH_READY_WRITE);
  CHECK_EQ(nth_event_loop_modify(f->loop, handle, 0), 0);
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK_EQ(close(duct.write), 0); /* told even so */
  CHECK((poll_one(f, 0).flags & NTH_READY_HANGUP) != 0);
  CHECK_EQ(close(duct.read), 0);
  close_loop(f);
}

/* Otherwise the loop would be busy: the caller has asked for nothing that it could read or write. A loop that drops the event each time the
 * kernel reports it is busy as well, so the poll must sleep. */
static void check_told_once(fixture_t *f, int64_t handle) {
  enum { MILLISECOND = 1000000, ENOUGH = 10 };
  for (int round = 0; round < 2; round++) {
    CHECK((poll_one(f, 0).flags & NTH_READY_HANGUP) != 0);
    int64_t waits = stats_of(f).waits;
    CHECK_EQ(poll_for(f, 5 * MILLISECOND), 0);
    CHECK(stats_of(f).waits - waits <= ENOUGH);
    CHECK_EQ(nth_event_loop_modify(f->loop, handle, 0), 0); /* tells once more */
  }
  CHECK_EQ(nth_event_loop_modify(f->loop, handle, NTH_READY_READ), 0);
  for (int i = 0; i < 3; i++) {
    CHECK((poll_one(f, 0).flags & NTH_READY_HANGUP) != 0); /* in each poll: the caller can read the end */
  }
  CHECK_EQ(nth_event_loop_remove(f->loop, handle), 0);
}

TEST(without_interest_a_hangup_is_told_once) {
  fixture_t *f = open_loop();
  const duct_t ducts[] = {open_pipe(), open_sockets()};
  for (int i = 0; i < 2; i++) {
    int64_t handle = add(f, ducts[i].read, 0, 1);
    CHECK_EQ(poll_for(f, 0), 0);
    CHECK_EQ(close(ducts[i].write), 0);
    check_told_once(f, handle);
    CHECK_EQ(close(ducts[i].read), 0);
  }
  close_loop(f);
}

#if defined(__linux__)
#include <sys/syscall.h>

#if !defined(SYS_pidfd_open)
#define SYS_pidfd_open 434 /* the same on every architecture */
#endif

TEST(without_interest_the_end_of_a_process_is_told_once) {
  fixture_t *f = open_loop();
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    _exit(0);
  }
  int32_t process = (int32_t)syscall(SYS_pidfd_open, child, 0);
  CHECK(waitpid(child, NULL, 0) == child);
  struct pollfd ended = {.fd = process};
  if (process >= 0 && poll(&ended, 1, 0) == 1) { /* older kernels report no hang-up */
    check_told_once(f, add(f, process, 0, 1));
  }
  CHECK(process < 0 || close(process) == 0);
  close_loop(f);
}

static duct_t open_tcp(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK_EQ(bind(listener, (struct sockaddr *)&address, length), 0);
  CHECK_EQ(listen(listener, 1), 0);
  CHECK_EQ(getsockname(listener, (struct sockaddr *)&address, &length), 0);
  CHECK_EQ(connect(client, (struct sockaddr *)&address, length), 0);
  int32_t server = nth_io_accept(listener, NULL, NULL);
  CHECK(server >= 0);
  CHECK_EQ(close(listener), 0);
  return (duct_t){server, client};
}

TEST(an_urgent_byte_is_told_to_those_that_ask_for_edges) {
  enum { SECOND = 1000000000 };
  char buffer[16];
  fixture_t *f = open_loop();
  duct_t level = open_tcp(), edge = open_tcp();
  add(f, level.read, NTH_READY_READ, 1);
  add(f, edge.read, NTH_READY_READ | NTH_READY_EDGE, 2);

  CHECK_EQ(send(edge.write, "before!", 7, MSG_OOB), 7); /* the last byte is the urgent one */
  put_byte(edge.write);
  CHECK_EQ(poll_one(f, SECOND).flags & ~(uint32_t)NTH_READY_READ, NTH_READY_URGENT);
  CHECK_EQ(nth_io_receive(edge.read, buffer, sizeof buffer), 6); /* and not all that there is */
  while (poll_for(f, 0) > 0) { /* the byte behind it may have come later, and is an edge then */
  }
  CHECK_EQ(nth_io_receive(edge.read, buffer, sizeof buffer), 1);

  CHECK_EQ(send(level.write, "!", 1, MSG_OOB), 1);
  CHECK_EQ(poll_for(f, SECOND / 20), 0); /* it lasts until there is more to read: told in each poll, it would be a busy loop */
  close_duct(level);
  close_duct(edge);
  close_loop(f);
}
#endif

TEST(a_descriptor_is_registered_once) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  int64_t handle = add(f, duct.read, NTH_READY_READ, 1);
  CHECK_EQ(nth_event_loop_add(f->loop, duct.read, NTH_READY_READ, 2), -EEXIST);
  put_byte(duct.write);
  CHECK_EQ(poll_one(f, 0).token, 1);
  CHECK_EQ(nth_event_loop_remove(f->loop, handle), 0);
  CHECK_EQ(nth_event_loop_remove(f->loop, handle), -ENOENT);
  CHECK_EQ(nth_event_loop_modify(f->loop, handle, 0), -ENOENT);
  CHECK_EQ(poll_for(f, 0), 0);
  add(f, duct.read, NTH_READY_READ, 3);
  CHECK_EQ(poll_one(f, 0).token, 3);
  int32_t file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  CHECK_EQ(nth_event_loop_add(f->loop, file, NTH_READY_READ, 4), -EPERM);
  CHECK_EQ(close(file), 0);
  close_duct(duct);
  close_loop(f);
}

TEST(T76_removing_strikes_out_what_the_batch_still_holds) {
  enum { DUCTS = 20 };
  fixture_t *f = open_loop();
  duct_t ducts[DUCTS];
  int64_t handles[DUCTS];
  for (int i = 0; i < DUCTS; i++) {
    ducts[i] = open_pipe();
    handles[i] = add(f, ducts[i].read, NTH_READY_READ, (uint64_t)i);
    put_byte(ducts[i].write);
  }
  CHECK_EQ(poll_for(f, 0), DUCTS);
  for (int i = 0; i < DUCTS; i += 2) {
    CHECK_EQ(nth_event_loop_remove(f->loop, handles[i]), 0);
  }
  for (int i = 0; i < DUCTS; i++) {
    bool removed = f->events[i].token % 2 == 0;
    CHECK_EQ(f->events[i].kind, removed ? NTH_EVENT_NONE : NTH_EVENT_READY);
  }
  CHECK_EQ(poll_for(f, 0), DUCTS / 2);
  for (int i = 0; i < DUCTS; i++) {
    close_duct(ducts[i]);
  }
  close_loop(f);
}

TEST(a_number_used_again_inside_a_batch_is_a_new_registration) {
  fixture_t *f = open_loop();
  duct_t first = open_pipe();
  int64_t old = add(f, first.read, NTH_READY_READ, 1);
  put_byte(first.write);
  CHECK_EQ(poll_one(f, 0).token, 1);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), 0);
  CHECK_EQ(close(first.read), 0);
  duct_t second = open_pipe();
  CHECK_EQ(second.read, first.read); /* POSIX: the lowest number that is free */
  int64_t handle = add(f, second.read, NTH_READY_READ, 2);
  CHECK(handle != old);
  CHECK_EQ(f->events[0].kind, NTH_EVENT_NONE);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), -ENOENT);
  CHECK_EQ(poll_for(f, 0), 0);
  put_byte(second.write);
  CHECK_EQ(poll_one(f, 0).token, 2);
  CHECK_EQ(close(first.write), 0);
  close_duct(second);
  close_loop(f);
}

TEST(a_descriptor_closed_while_registered_ends_its_registration) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  int64_t old = add(f, duct.read, NTH_READY_READ, 1);
  put_byte(duct.write);
  CHECK_EQ(poll_one(f, 0).token, 1);
  CHECK_EQ(close(duct.read), 0);
  CHECK_EQ(poll_for(f, 0), 0);
  CHECK_EQ(nth_event_loop_modify(f->loop, old, NTH_READY_READ), -ENOENT);

  /* The number comes back as another file, unknown to the loop, then known. */
  duct_t other = open_pipe();
  CHECK_EQ(other.read, duct.read);
  put_byte(other.write);
  CHECK_EQ(poll_for(f, 0), 0);
  add(f, other.read, NTH_READY_READ, 2);
  CHECK_EQ(nth_event_loop_remove(f->loop, old), -ENOENT); /* and has not removed the new one */
  CHECK_EQ(poll_one(f, 0).token, 2);

  CHECK_EQ(close(other.read), 0);
  CHECK_EQ(close(other.write), 0);
  duct_t last = open_pipe();
  int64_t handle = add(f, last.write, NTH_READY_WRITE, 3);
  CHECK_EQ(close(last.write), 0);
  CHECK_EQ(nth_event_loop_remove(f->loop, handle), 0);
  CHECK_EQ(close(last.read), 0);
  CHECK_EQ(close(duct.write), 0);
  close_loop(f);
}

TEST(a_file_that_lives_on_elsewhere_delivers_no_stale_token) {
  fixture_t *f = open_loop();
  duct_t duct = open_pipe();
  add(f, duct.read, NTH_READY_READ, 1);
  int32_t copy = dup(duct.read);
  CHECK_EQ(close(duct.read), 0);
  put_byte(duct.write);
  duct_t other = open_pipe();
  CHECK_EQ(other.read, duct.read);
  add(f, other.read, NTH_READY_READ, 2);
  CHECK_EQ(poll_for(f, 0), 0); /* the kernel reports the old file under the old number */
  put_byte(other.write);
  CHECK_EQ(poll_one(f, 0).token, 2);
  CHECK_EQ(close(copy), 0);
  CHECK_EQ(close(duct.write), 0);
  close_duct(other);
  close_loop(f);
}

TEST(more_ready_than_the_array_holds_come_in_turn) {
  enum { DUCTS = 40 };
  fixture_t *f = open_loop();
  duct_t ducts[DUCTS];
  int seen[DUCTS] = {0}, different = 0;
  for (int i = 0; i < DUCTS; i++) {
    ducts[i] = open_pipe();
    add(f, ducts[i].read, NTH_READY_READ, (uint64_t)i);
    put_byte(ducts[i].write);
  }
  for (int polls = 0; different < DUCTS; polls++) {
    CHECK(polls < 20);
    int32_t count = poll_some(f, NTH_POLL_MIN_EVENTS, 0);
    for (int32_t i = 0; i < count; i++) {
      different += seen[f->events[i].token]++ == 0;
    }
  }
  for (int i = 0; i < DUCTS; i++) {
    close_duct(ducts[i]);
  }
  close_loop(f);
}
