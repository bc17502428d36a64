/* SPDX-License-Identifier: MIT
 *
 * The rows, on the event loop of this library.
 */
#include "eventloop.h"
#include "native_threading.h"

#include <stddef.h>

enum { EVENTS = 1024 };

static nth_event_loop_t *loop, *timer_loop, *armed_loop, *other;
static nth_event_t events[EVENTS], other_events[EVENTS];
static int64_t timers[1000], armed[ARMED_TIMERS];
static int descriptor;

static void set_up(int pipe_end) {
  descriptor = pipe_end;
  int error = nth_event_loop_create(&loop, NULL) | nth_event_loop_create(&timer_loop, NULL)
              | nth_event_loop_create(&armed_loop, NULL) | nth_event_loop_create(&other, NULL);
  require(error == 0, "loops created");
  for (int i = 0; i < 1000; i++) {
    timers[i] = nth_event_loop_timer_create(timer_loop, (uint64_t)i);
  }
  int64_t now = wall_ns();
  for (int i = 0; i < ARMED_TIMERS; i++) {
    armed[i] = nth_event_loop_timer_create(armed_loop, (uint64_t)i);
    nth_event_loop_timer_arm(armed_loop, armed[i], now + 1000000LL * (3600000 + next_random() % 10000000));
  }
}

static void create_destroy(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    nth_event_loop_t *created;
    require(nth_event_loop_create(&created, NULL) == 0, "created");
    nth_event_loop_destroy(created);
  }
}

static void wake(int64_t iterations, uint32_t flags, int32_t calls) {
  for (int64_t i = 0; i < iterations; i++) {
    require(nth_event_loop_wake(loop, flags) == calls, "system call as asked for");
    require(nth_event_loop_poll(loop, events, EVENTS, 0, 0) == 1, "woken");
  }
}

static void wake_kernel(int64_t iterations) {
  wake(iterations, NTH_WAKE_KERNEL, 1);
}

static void wake_kernel_busy(int64_t iterations) {
  int64_t handle = nth_event_loop_add(loop, descriptor, NTH_READY_READ, 1);
  wake(iterations, NTH_WAKE_KERNEL, 1);
  require(nth_event_loop_remove(loop, handle) == 0, "removed");
}

static void wake_own(int64_t iterations) {
  wake(iterations, 0, 0);
}

static void add_remove(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    int64_t handle = nth_event_loop_add(loop, descriptor, NTH_READY_READ, 1);
    require(nth_event_loop_remove(loop, handle) == 0, "removed");
  }
}

static void fire(int64_t iterations, int count) {
  for (int64_t i = 0; i < iterations; i++) {
    for (int k = 0; k < count; k++) {
      nth_event_loop_timer_arm(timer_loop, timers[k], 0);
    }
    require(nth_event_loop_poll(timer_loop, events, EVENTS, -1, 0) == count, "all fired");
  }
}

static void fire1(int64_t iterations) {
  fire(iterations, 1);
}

static void fire10(int64_t iterations) {
  fire(iterations, 10);
}

static void fire100(int64_t iterations) {
  fire(iterations, 100);
}

static void fire1000(int64_t iterations) {
  fire(iterations, 1000);
}

static void churn(int64_t iterations) {
  int64_t now = wall_ns();
  for (int64_t i = 0; i < iterations; i++) {
    int64_t deadline = now + 1000000LL * (3600000 + next_random() % 10000000);
    nth_event_loop_timer_arm(armed_loop, armed[next_random() % ARMED_TIMERS], deadline);
  }
}

static void run_loop(void) {
  do {
    require(nth_event_loop_poll(other, other_events, EVENTS, -1, 0) == 1, "woken");
  } while (latency_seen());
}

static void wake_other(void) {
  nth_event_loop_wake(other, 0);
}

const contender_t native_contender = {
  .name = "nativethreading",
  .set_up = set_up,
  .rows = {
    [CREATE_DESTROY] = create_destroy,
    [WAKE_EVENTFD] = wake_kernel,
    [WAKE_EVENTFD_BUSY] = wake_kernel_busy,
    [WAKE_OWN_THREAD] = wake_own,
    [PIPE_ADD_DEL] = add_remove,
    [TIMER_1] = fire1,
    [TIMER_10] = fire10,
    [TIMER_100] = fire100,
    [TIMER_1000] = fire1000,
    [TIMER_ARMED] = churn,
  },
  .run_loop = run_loop,
  .wake_other = wake_other,
};
