/* SPDX-License-Identifier: MIT
 *
 * macOS: kqueue, and a pipe in it to be woken by. Never run: native/tests/stubs/README.md.
 *
 * A registration consists of up to two filters, for reading and for writing, which are changed one by one and tell one by one.
 * Their events are put together, because the loop expects one event of a registration in a batch. A registration without any
 * interest has the filter for reading, disabled: here it is told nothing, not even of a hangup.
 *
 * A filter belongs to a number, and goes when the number is closed, whatever other numbers name the file. So the kernel never tells
 * of a registration that has ended, and the poller is never renewed (T140). The kernel does not say whether a number is registered
 * already: who adds it twice replaces the first registration, and gets no -EEXIST.
 *
 * The pipe is level-triggered and is read when it is reported, as on Linux. EVFILT_USER has no level to be read.
 */
#include "poller.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/event.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "darwin_errors.h"
#include "posix_io.h"
#include "tuning.h"

static const int64_t ns_per_s = 1000000000;

enum { FILTERS = 2 };
static const int16_t filters[FILTERS] = {EVFILT_READ, EVFILT_WRITE};

/* Not a handle: handles are positive. */
#define WAKE_TOKEN UINT64_MAX

static void *to_udata(uint64_t token) {
  return (void *)(uintptr_t)token; /* NOLINT(performance-no-int-to-ptr) */
}

/* What EV_ADD is to be called with for one of the filters; 0: nothing. */
static uint16_t adding(int16_t filter, uint32_t interest) {
  uint32_t wanted = filter == EVFILT_READ ? NTH_READY_READ : NTH_READY_WRITE;
  uint16_t edge = (interest & NTH_READY_EDGE) != 0 ? EV_CLEAR : 0;
  if ((interest & wanted) != 0) {
    return (uint16_t)(EV_ADD | edge);
  }
  bool none = (interest & (NTH_READY_READ | NTH_READY_WRITE)) == 0;
  return none && filter == EVFILT_READ ? (uint16_t)(EV_ADD | EV_DISABLE) : 0;
}

/* Makes up to two changes. errors[i]: of filters[i], 0 or Linux's number. 0 or -errno of the call itself. */
static int change(int kqueue_, int32_t descriptor, const uint16_t actions[FILTERS], uint64_t token, int errors[FILTERS]) {
  struct kevent changes[FILTERS], results[FILTERS];
  int count = 0;
  for (int i = 0; i < FILTERS; i++) {
    errors[i] = 0;
    if (actions[i] != 0) {
      EV_SET(&changes[count++], (uintptr_t)descriptor, filters[i], (uint16_t)(actions[i] | EV_RECEIPT), 0, 0,
             to_udata(token));
    }
  }
  int told;
  UNTIL_NOT_INTERRUPTED(told, kevent(kqueue_, changes, count, results, count, NULL));
  if (told < 0) {
    return nth__io_error();
  }
  for (int i = 0; i < told; i++) { /* a receipt for each change, and nothing else: there is no room */
    errors[results[i].filter == EVFILT_READ ? 0 : 1] = nth__error_of((int)results[i].data);
  }
  return 0;
}

/* Ends what there is. -ENOENT: nothing. */
static int end_filters(int kqueue_, int32_t descriptor) {
  static const uint16_t both[FILTERS] = {EV_DELETE, EV_DELETE};
  int errors[FILTERS];
  int error = change(kqueue_, descriptor, both, 0, errors);
  return error != 0 ? error : errors[0] == 0 || errors[1] == 0 ? 0 : -errors[0];
}

static int begin_filters(int kqueue_, int32_t descriptor, uint32_t interest, uint64_t token) {
  const uint16_t wanted[FILTERS] = {adding(EVFILT_READ, interest), adding(EVFILT_WRITE, interest)};
  int errors[FILTERS];
  int error = change(kqueue_, descriptor, wanted, token, errors);
  if (error == 0 && (errors[0] != 0 || errors[1] != 0)) {
    error = errors[0] != 0 ? -errors[0] : -errors[1];
    end_filters(kqueue_, descriptor);
  }
  return error;
}

static int make_quiet(int descriptor) {
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ? nth__io_error() : nth_io_set_nonblocking(descriptor);
}

int nth__poller_open(nth__poller_t *poller, const char **call) {
  int ends[2] = {-1, -1};
  *call = "kqueue";
  *poller = (nth__poller_t){.readiness = kqueue(), .wake = -1, .wake_write = -1};
  if (poller->readiness < 0) {
    return nth__io_error();
  }
  *call = "pipe";
  int error = fcntl(poller->readiness, F_SETFD, FD_CLOEXEC) < 0 || pipe(ends) < 0 ? nth__io_error() : 0;
  poller->wake = ends[0];
  poller->wake_write = ends[1];
  for (int i = 0; i < 2 && error == 0; i++) {
    error = make_quiet(ends[i]);
  }
  error = error != 0 ? error : begin_filters(poller->readiness, poller->wake, NTH_READY_READ, WAKE_TOKEN);
  if (error != 0) {
    nth__poller_close(poller);
  }
  return error;
}

void nth__poller_close(nth__poller_t *poller) {
  const int32_t descriptors[] = {poller->wake, poller->wake_write, poller->readiness};
  for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
    if (descriptors[i] >= 0) {
      close(descriptors[i]);
    }
  }
}

/* ---- Registrations ------------------------------------------------------------------------------------- */

int nth__poller_add(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  struct stat file;
  if (fstat(descriptor, &file) != 0) {
    return nth__io_error();
  }
  if (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode)) {
    return -EPERM; /* kqueue would take it, and tell of the end of the file */
  }
  end_filters(poller->readiness, descriptor); /* of the registration before, if there is one */
  return begin_filters(poller->readiness, descriptor, interest, token);
}

int nth__poller_modify(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  /* Ended and begun again: edges are told once more, and no filter keeps a flag that it had. */
  int error = end_filters(poller->readiness, descriptor);
  return error != 0 ? error : begin_filters(poller->readiness, descriptor, interest, token);
}

int nth__poller_remove(nth__poller_t *poller, int32_t descriptor) {
  return end_filters(poller->readiness, descriptor);
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

static uint32_t flags_of(const struct kevent *event) {
  bool end = (event->flags & EV_EOF) != 0;
  uint32_t flags = event->filter == EVFILT_READ ? NTH_READY_READ | (end ? NTH_READY_PEER_CLOSED : 0u)
                                                : NTH_READY_WRITE | (end ? NTH_READY_HANGUP : 0u);
  bool error = (event->flags & EV_ERROR) != 0 || (end && event->fflags != 0); /* which then holds the socket's error */
  return flags | (error ? NTH_READY_ERROR : 0u);
}

/* At most NTH__EVENTS_FROM_KERNEL of them, and each but the last few is the first of its token. */
static int32_t put_together(nth_event_t *events, int32_t count, uint64_t token, uint32_t flags) {
  for (int32_t i = 0; i < count; i++) {
    if (events[i].token == token) {
      events[i].flags |= flags;
      return count;
    }
  }
  events[count] = (nth_event_t){token, NTH_EVENT_READY, flags};
  return count + 1;
}

int32_t nth__poller_wait(
    nth__poller_t *poller, nth_event_t *events, int32_t capacity, int64_t timeout_ns, bool *woken) {
  struct kevent ready[NTH__EVENTS_FROM_KERNEL];
  int most = capacity < NTH__EVENTS_FROM_KERNEL ? capacity : NTH__EVENTS_FROM_KERNEL;
  const struct timespec timeout = {timeout_ns / ns_per_s, timeout_ns % ns_per_s};
  int count = kevent(poller->readiness, NULL, 0, ready, most, timeout_ns < 0 ? NULL : &timeout);
  if (count < 0) {
    int error = nth__io_error();
    return error == -EINTR ? 0 : error;
  }
  int32_t written = 0;
  for (int i = 0; i < count; i++) {
    uint64_t token = (uint64_t)(uintptr_t)ready[i].udata;
    if (token == WAKE_TOKEN) {
      *woken = true;
    } else {
      written = put_together(events, written, token, flags_of(&ready[i]));
    }
  }
  return written;
}

void nth__poller_wake(const nth__poller_t *poller) {
  /* EAGAIN, a full pipe, is as good as a success: the pipe is readable. */
  ssize_t written;
  UNTIL_NOT_INTERRUPTED(written, write(poller->wake_write, "", 1));
}

bool nth__poller_drain(nth__poller_t *poller) {
  char bytes[8]; /* at most one write is on its way */
  ssize_t result;
  UNTIL_NOT_INTERRUPTED(result, read(poller->wake, bytes, sizeof bytes));
  return result > 0;
}
