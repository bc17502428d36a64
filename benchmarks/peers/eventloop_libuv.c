/* SPDX-License-Identifier: MIT
 *
 * The rows, on libuv.
 */
#include <pthread.h>
#include <uv.h>

#include "eventloop.h"

static uv_loop_t loop, poll_loop, timer_loop, armed_loop, work_loop, other;
static uv_async_t async, other_async;
static uv_poll_t poll_handle;
static uv_timer_t timers[1000], armed[ARMED_TIMERS];
static uv_work_t works[1000];
static int64_t called;

static void on_async(uv_async_t *handle) {
  (void)handle;
  called++;
}

static void on_other(uv_async_t *handle) {
  if (!latency_seen()) {
    uv_stop(handle->loop);
  }
}

static void on_timer(uv_timer_t *handle) {
  (void)handle;
  called++;
}

static void on_poll(uv_poll_t *handle, int status, int events) {
  (void)handle, (void)status, (void)events;
}

static void set_up(int pipe_end) {
  require(uv_loop_init(&loop) == 0 && uv_loop_init(&poll_loop) == 0 && uv_loop_init(&timer_loop) == 0
              && uv_loop_init(&armed_loop) == 0 && uv_loop_init(&work_loop) == 0 && uv_loop_init(&other) == 0,
          "loops created");
  require(uv_async_init(&loop, &async, on_async) == 0 && uv_async_init(&other, &other_async, on_other) == 0, "async");
  require(uv_poll_init(&poll_loop, &poll_handle, pipe_end) == 0, "poll");
  for (int i = 0; i < 1000; i++) {
    uv_timer_init(&timer_loop, &timers[i]);
  }
  for (int i = 0; i < ARMED_TIMERS; i++) {
    uv_timer_init(&armed_loop, &armed[i]);
    uv_timer_start(&armed[i], on_timer, 3600000 + next_random() % 10000000, 0);
  }
}

static void create_destroy(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    uv_loop_t created;
    require(uv_loop_init(&created) == 0, "created");
    require(uv_loop_close(&created) == 0, "closed");
  }
}

static void *own_loop(void *unused) {
  create_destroy(1);
  return unused;
}

static void create_destroy_thread(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, own_loop, NULL) == 0, "started");
    require(pthread_join(thread, NULL) == 0, "joined");
  }
}

static void wake(int64_t iterations) {
  called = 0;
  for (int64_t i = 0; i < iterations; i++) {
    uv_async_send(&async);
    uv_run(&loop, UV_RUN_ONCE);
  }
  require(called == iterations, "woken");
}

static void add_remove(int64_t iterations) {
  for (int64_t i = 0; i < iterations; i++) {
    uv_poll_start(&poll_handle, UV_READABLE, on_poll);
    uv_poll_stop(&poll_handle);
  }
}

static void fire(int64_t iterations, int count) {
  called = 0;
  for (int64_t i = 0; i < iterations; i++) {
    for (int k = 0; k < count; k++) {
      uv_timer_start(&timers[k], on_timer, 0, 0);
    }
    uv_run(&timer_loop, UV_RUN_ONCE);
  }
  require(called == iterations * count, "all fired");
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
  for (int64_t i = 0; i < iterations; i++) {
    uint64_t delay = 3600000 + next_random() % 10000000;
    uv_timer_start(&armed[next_random() % ARMED_TIMERS], on_timer, delay, 0);
  }
}

static void no_work(uv_work_t *work) {
  (void)work;
}

static void after_work(uv_work_t *work, int status) {
  (void)work, (void)status;
  called++;
}

static void offload(int64_t iterations, int count) {
  for (int64_t i = 0; i < iterations; i++) {
    called = 0;
    for (int k = 0; k < count; k++) {
      require(uv_queue_work(&work_loop, &works[k], no_work, after_work) == 0, "queued");
    }
    while (called < count) {
      uv_run(&work_loop, UV_RUN_ONCE);
    }
    require(called == count, "all completed");
  }
}

static void offload1(int64_t iterations) {
  offload(iterations, 1);
}

static void offload10(int64_t iterations) {
  offload(iterations, 10);
}

static void offload100(int64_t iterations) {
  offload(iterations, 100);
}

static void offload1000(int64_t iterations) {
  offload(iterations, 1000);
}

static void run_loop(void) {
  uv_run(&other, UV_RUN_DEFAULT);
}

static void wake_other(void) {
  uv_async_send(&other_async);
}

const contender_t libuv_contender = {
  .name = "libuv",
  .set_up = set_up,
  .rows = {
    [CREATE_DESTROY] = create_destroy,
    [CREATE_DESTROY_THREAD] = create_destroy_thread,
    [WAKE_EVENTFD] = wake,
    [WAKE_OWN_THREAD] = wake,
    [PIPE_ADD_DEL] = add_remove,
    [TIMER_1] = fire1,
    [TIMER_10] = fire10,
    [TIMER_100] = fire100,
    [TIMER_1000] = fire1000,
    [TIMER_ARMED] = churn,
    [OFFLOAD_1] = offload1,
    [OFFLOAD_10] = offload10,
    [OFFLOAD_100] = offload100,
    [OFFLOAD_1000] = offload1000,
  },
  .run_loop = run_loop,
  .wake_other = wake_other,
};
