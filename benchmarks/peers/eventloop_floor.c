/* SPDX-License-Identifier: MIT
 *
 * The rows as bare system calls: what a loop that uses them cannot be faster than.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "eventloop.h"

static int epoll, event, descriptor, other_epoll, other_event;

static void open_both(int *opened_epoll, int *opened_event) {
  *opened_epoll = epoll_create1(EPOLL_CLOEXEC);
  *opened_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct epoll_event readable = {.events = EPOLLIN};
  require(epoll_ctl(*opened_epoll, EPOLL_CTL_ADD, *opened_event, &readable) == 0, "opened");
}

static void set_up(int pipe_end) {
  descriptor = pipe_end;
  open_both(&epoll, &event);
  open_both(&other_epoll, &other_event);
}

static void create_destroy(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    int created, wake;
    open_both(&created, &wake);
    close(wake);
    close(created);
  }
}

static void wake(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    uint64_t one = 1;
    struct epoll_event ready[8];
    require(write(event, &one, sizeof one) == sizeof one, "written");
    require(epoll_wait(epoll, ready, 8, 0) == 1, "woken");
    require(read(event, &one, sizeof one) == sizeof one, "read");
  }
}

static void add_remove(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    struct epoll_event readable = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &readable);
    require(epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &readable) == 0, "removed");
  }
}

static void run_loop(void) {
  do {
    uint64_t count;
    struct epoll_event ready[8];
    require(epoll_wait(other_epoll, ready, 8, -1) == 1, "woken");
    require(read(other_event, &count, sizeof count) == sizeof count, "read");
  } while (latency_seen());
}

static void wake_other(void) {
  uint64_t one = 1;
  require(write(other_event, &one, sizeof one) == sizeof one, "written");
}

const contender_t floor_contender = {
  .name = "floor",
  .set_up = set_up,
  .rows = {
    [CREATE_DESTROY] = create_destroy,
    [WAKE_EVENTFD] = wake,
    [PIPE_ADD_DEL] = add_remove,
  },
  .run_loop = run_loop,
  .wake_other = wake_other,
};
