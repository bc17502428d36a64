/* SPDX-License-Identifier: MIT
 *
 * Linux: epoll, and an eventfd in it to be woken by.
 *
 * The eventfd is level-triggered and is read when it is reported. The edge-triggered form saves the read, and has
 * broken other libraries (T70).
 */
#define _GNU_SOURCE

#include "poller.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "errors.h"
#include "tuning.h"

static const int64_t ns_per_s = 1000000000, ns_per_ms = 1000000;

/* Not a handle: handles are positive. */
#define WAKE_TOKEN UINT64_MAX

#if !defined(SYS_epoll_pwait2)
#define SYS_epoll_pwait2 441 /* the same on every architecture */
#endif

/* The kernel's 64-bit timespec, whatever time_t is (T21). */
struct timespec64 {
  int64_t seconds;
  int64_t nanoseconds;
};

/* Without any interest the kernel still reports a hang-up and an error, and would repeat that in each wait until the registration
 * ends. ONESHOT: once, and again only after the interest was set. EPOLLPRI lasts until the bytes after the urgent one are read, so
 * only an edge of it is asked for. */
static uint32_t to_epoll(uint32_t interest) {
  bool read = (interest & NTH_READY_READ) != 0, edge = (interest & NTH_READY_EDGE) != 0;
  if ((interest & (NTH_READY_READ | NTH_READY_WRITE | NTH_READY_EDGE)) == 0) {
    return EPOLLONESHOT;
  }
  return (read ? EPOLLIN | EPOLLRDHUP : 0u) | ((interest & NTH_READY_WRITE) != 0 ? EPOLLOUT : 0u)
         | (edge ? EPOLLET : 0u) | (read && edge ? EPOLLPRI : 0u);
}

static uint32_t from_epoll(uint32_t events) {
  return ((events & EPOLLIN) != 0 ? NTH_READY_READ : 0u)
         | ((events & EPOLLOUT) != 0 ? NTH_READY_WRITE : 0u)
         | ((events & EPOLLRDHUP) != 0 ? NTH_READY_PEER_CLOSED : 0u)
         | ((events & EPOLLHUP) != 0 ? NTH_READY_HANGUP : 0u)
         | ((events & EPOLLERR) != 0 ? NTH_READY_ERROR : 0u)
         | ((events & EPOLLPRI) != 0 ? NTH_READY_URGENT : 0u);
}

static int control(
    const nth__poller_t *poller, int operation, int32_t descriptor, uint32_t interest, uint64_t token) {
  struct epoll_event event = {.events = to_epoll(interest), .data.u64 = token};
  return epoll_ctl(poller->readiness, operation, descriptor, &event) == 0 ? 0 : -errno;
}

int nth__poller_open(nth__poller_t *poller, const char **call) {
  *call = "epoll_create1";
  poller->readiness = epoll_create1(EPOLL_CLOEXEC);
  if (poller->readiness < 0) {
    return -errno;
  }
  *call = "eventfd2"; /* as filters of system calls name it */
  poller->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int error = poller->wake < 0 ? -errno : 0;
  if (error == 0) {
    *call = "epoll_ctl";
    error = control(poller, EPOLL_CTL_ADD, poller->wake, NTH_READY_READ, WAKE_TOKEN);
  }
  if (error != 0) {
    nth__poller_close(poller);
  }
  return error;
}

void nth__poller_close(nth__poller_t *poller) {
  if (poller->wake >= 0) {
    close(poller->wake);
  }
  close(poller->readiness);
}

int nth__poller_open_another(const nth__poller_t *poller, nth__poller_t *another) {
  *another = (nth__poller_t){.readiness = epoll_create1(EPOLL_CLOEXEC), .wake = poller->wake};
  if (another->readiness < 0) {
    return -errno;
  }
  int error = control(another, EPOLL_CTL_ADD, another->wake, NTH_READY_READ, WAKE_TOKEN);
  if (error != 0) {
    nth__poller_give_up(another);
  }
  return error;
}

int nth__poller_replace(const nth__poller_t *poller, nth__poller_t *another) {
  int result;
  do {
    result = dup3(another->readiness, poller->readiness, O_CLOEXEC);
  } while (result < 0 && (errno == EINTR || errno == EBUSY));
  int error = result < 0 ? -errno : 0;
  nth__poller_give_up(another);
  return error;
}

void nth__poller_give_up(nth__poller_t *another) {
  close(another->readiness);
}

int nth__poller_add(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  return control(poller, EPOLL_CTL_ADD, descriptor, interest, token);
}

int nth__poller_modify(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  return control(poller, EPOLL_CTL_MOD, descriptor, interest, token);
}

int nth__poller_remove(nth__poller_t *poller, int32_t descriptor) {
  return control(poller, EPOLL_CTL_DEL, descriptor, 0, 0);
}

/* epoll_pwait2 takes nanoseconds (T81). Before Linux 5.11, and where a filter refuses it, epoll_wait takes whole
 * milliseconds. They are rounded up, because rounding down would poll. */
static int wait_ns(int epoll, struct epoll_event *ready, int capacity, int64_t timeout_ns) {
  static _Atomic bool missing; /* relaxed: every writer stores the same value */
  if (timeout_ns > 0 && !atomic_load_explicit(&missing, memory_order_relaxed)) {
    struct timespec64 timeout = {timeout_ns / ns_per_s, timeout_ns % ns_per_s};
    long count = syscall(SYS_epoll_pwait2, epoll, ready, capacity, &timeout, NULL, (size_t)0);
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) {
      return (int)count;
    }
    atomic_store_explicit(&missing, true, memory_order_relaxed);
  }
  int64_t ms = timeout_ns < 0 ? -1 : timeout_ns / ns_per_ms + (timeout_ns % ns_per_ms != 0);
  return epoll_wait(epoll, ready, capacity, ms < INT32_MAX ? (int)ms : INT32_MAX);
}

int32_t nth__poller_wait(
    nth__poller_t *poller, nth_event_t *events, int32_t capacity, int64_t timeout_ns, bool *woken) {
  struct epoll_event ready[NTH__EVENTS_FROM_KERNEL];
  int most = capacity < NTH__EVENTS_FROM_KERNEL ? capacity : NTH__EVENTS_FROM_KERNEL;
  int count = wait_ns(poller->readiness, ready, most, timeout_ns);
  if (count < 0) {
    return errno == EINTR ? 0 : -errno;
  }
  int32_t written = 0;
  for (int i = 0; i < count; i++) {
    if (ready[i].data.u64 == WAKE_TOKEN) {
      *woken = true;
    } else {
      events[written++] = (nth_event_t){ready[i].data.u64, NTH_EVENT_READY, from_epoll(ready[i].events)};
    }
  }
  return written;
}

void nth__poller_wake(const nth__poller_t *poller) {
  /* EAGAIN, a full counter, is as good as a success: the eventfd is readable. */
  uint64_t one = 1;
  ssize_t written;
  UNTIL_NOT_INTERRUPTED(written, write(poller->wake, &one, sizeof one));
}

bool nth__poller_drain(nth__poller_t *poller) {
  uint64_t count;
  ssize_t result;
  UNTIL_NOT_INTERRUPTED(result, read(poller->wake, &count, sizeof count));
  return result > 0;
}
