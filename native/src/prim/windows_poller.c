/* SPDX-License-Identifier: MIT
 *
 * Windows: a completion port, to which wakes are posted, and a timer of high resolution that ends a wait.
 *
 * Descriptors cannot be registered: -ENOSYS. Nothing is readable by itself here. A post that has been taken from the port
 * counts as readable until it is drained, which is what the loop expects of a descriptor (event_loop_wake.c). By the
 * loop's invariant at most one post is on its way at a time.
 *
 * The port's own timeout is in whole milliseconds, and counts clock ticks, 15.6 ms apart by default. So the end of a wait is
 * the timer's affair: its routine runs in the wait, which ends by that. Where there is no such timer, before Windows 10
 * 1803, the port's timeout has to do. A timer that an earlier wait has left behind ends a wait for nothing, once.
 */
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif

#include "poller.h"

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#include "errors.h"

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x2
#endif

static const int64_t ns_per_ms = 1000000, ns_per_tick = 100;

static HANDLE handle_of(uintptr_t number) {
  return (HANDLE)number; /* NOLINT(performance-no-int-to-ptr) */
}

int nth__poller_open(nth__poller_t *poller, const char **call) {
  *call = "CreateIoCompletionPort";
  HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
  if (port == NULL) {
    return GetLastError() == ERROR_TOO_MANY_OPEN_FILES ? -EMFILE : -ENOMEM;
  }
  HANDLE timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
  *poller = (nth__poller_t){.readiness = -ENOSYS, .port = (uintptr_t)port, .timer = (uintptr_t)timer};
  return 0;
}

void nth__poller_close(nth__poller_t *poller) {
  if (poller->timer != 0) {
    CloseHandle(handle_of(poller->timer));
  }
  CloseHandle(handle_of(poller->port));
}

/* ---- Descriptors --------------------------------------------------------------------------------------- */

int nth__poller_add(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  (void)poller, (void)descriptor, (void)interest, (void)token;
  return -ENOSYS;
}

int nth__poller_modify(nth__poller_t *poller, int32_t descriptor, uint32_t interest, uint64_t token) {
  (void)poller, (void)descriptor, (void)interest, (void)token;
  return -ENOSYS;
}

int nth__poller_remove(nth__poller_t *poller, int32_t descriptor) {
  (void)poller, (void)descriptor;
  return -ENOSYS;
}

/* ---- Waiting ------------------------------------------------------------------------------------------- */

static void CALLBACK end_the_wait(void *unused, DWORD low, DWORD high) {
  (void)unused, (void)low, (void)high;
}

/* True: the timer will end a wait of the calling thread. */
static bool set_timer(const nth__poller_t *poller, int64_t timeout_ns) {
  /* Relative times are negative. Rounded up: rounding down would poll (T81). */
  LARGE_INTEGER due = {.QuadPart = -(timeout_ns / ns_per_tick + (timeout_ns % ns_per_tick != 0))};
  return poller->timer != 0 && SetWaitableTimer(handle_of(poller->timer), &due, 0, end_the_wait, NULL, FALSE);
}

static DWORD whole_ms(int64_t timeout_ns) {
  int64_t ms = timeout_ns / ns_per_ms + (timeout_ns % ns_per_ms != 0);
  return ms < INT32_MAX ? (DWORD)ms : INT32_MAX;
}

/* A post, if one comes in time. 0 or -errno. */
static int take_post(nth__poller_t *poller, DWORD timeout_ms, bool timer_ends_it) {
  OVERLAPPED_ENTRY entry;
  ULONG count = 0;
  if (GetQueuedCompletionStatusEx(handle_of(poller->port), &entry, 1, &count, timeout_ms, timer_ends_it)) {
    poller->posted = true;
    return 0;
  }
  DWORD error = GetLastError();
  return error == WAIT_TIMEOUT || error == WAIT_IO_COMPLETION ? 0 : -EBADF;
}

int32_t nth__poller_wait(
    nth__poller_t *poller, nth_event_t *events, int32_t capacity, int64_t timeout_ns, bool *woken) {
  (void)events, (void)capacity;
  int error = 0;
  if (!poller->posted) {
    bool timer = timeout_ns > 0 && set_timer(poller, timeout_ns);
    error = take_post(poller, timer || timeout_ns < 0 ? INFINITE : whole_ms(timeout_ns), timer);
  }
  if (poller->posted) {
    *woken = true;
  }
  return error;
}

void nth__poller_wake(const nth__poller_t *poller) {
  /* The kernel allocates for a post. A wake must not be lost, so a system without memory is asked again. */
  while (!PostQueuedCompletionStatus(handle_of(poller->port), 0, 0, NULL) && GetLastError() != ERROR_INVALID_HANDLE) {
    SwitchToThread();
  }
}

bool nth__poller_drain(nth__poller_t *poller) {
  if (!poller->posted) {
    take_post(poller, 0, false);
  }
  bool posted = poller->posted;
  poller->posted = false;
  return posted;
}
