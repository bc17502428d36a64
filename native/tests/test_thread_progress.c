/* SPDX-License-Identifier: MIT
 *
 * What every system tells of another thread: whether it gets on, and whether it has ended.
 */
#include "harness.h"
#include "native_threading.h"

typedef struct looked_at {
  thread_t thread;
  bool runs; /* or sleeps */
  nth_thread_probe_t *_Atomic probe;
  _Atomic bool stop;
} looked_at_t;

static void live(void *argument) {
  looked_at_t *thread = argument;
  nth_thread_probe_t *probe;
  CHECK_EQ(nth_thread_probe_create(&probe), 0);
  atomic_store(&thread->probe, probe);
  while (!atomic_load(&thread->stop)) {
    if (!thread->runs) {
      sleep_ns(SEC / 10);
    }
  }
}

static nth_thread_probe_t *begin(looked_at_t *thread) {
  start_thread(&thread->thread, live, thread);
  UNTIL(atomic_load(&thread->probe) != NULL);
  return atomic_load(&thread->probe);
}

/* The probe outlives its thread. */
static void end(looked_at_t *thread) {
  atomic_store(&thread->stop, true);
  join_thread(&thread->thread);
}

TEST(T82_a_thread_that_runs_gets_on) {
  looked_at_t runner = {.runs = true};
  nth_thread_probe_t *probe = begin(&runner);
  int64_t last = nth_thread_probe_cpu(probe);
  for (int steps = 0; steps < 5; steps++) {
    int64_t now;
    UNTIL((now = nth_thread_probe_cpu(probe)) != last);
    CHECK(now > last);
    last = now;
  }
  end(&runner);
  nth_thread_probe_destroy(probe);
}

TEST(T82_a_thread_that_sleeps_gets_on_hardly_at_all) {
  looked_at_t sleeper = {.runs = false}, runner = {.runs = true};
  nth_thread_probe_t *asleep = begin(&sleeper), *running = begin(&runner);
  int64_t slept = nth_thread_probe_cpu(asleep), ran = nth_thread_probe_cpu(running);
  sleep_ns(SEC / 2);
  slept = nth_thread_probe_cpu(asleep) - slept;
  ran = nth_thread_probe_cpu(running) - ran;
  CHECK(slept >= 0 && ran > 0);
  CHECK(slept < ran / 4);
  end(&sleeper);
  end(&runner);
  nth_thread_probe_destroy(asleep);
  nth_thread_probe_destroy(running);
}

TEST(T87_a_thread_that_has_ended_is_said_to_have_ended) {
  looked_at_t thread = {.runs = true};
  nth_thread_probe_t *probe = begin(&thread);
  int32_t state = nth_thread_probe_state(probe);
  CHECK(state == NTH_THREAD_RUNNABLE || state == -ENOSYS); /* this one never waits */
  end(&thread);
  UNTIL(nth_thread_probe_cpu(probe) == -ESRCH); /* join may return a little before the kernel is done */
  CHECK_EQ(nth_thread_probe_state(probe), -ESRCH);
  CHECK_EQ(nth_thread_probe_run_delay(probe), -ESRCH);
  char name[8];
  int32_t length = nth_thread_probe_wait_channel(probe, name, sizeof name);
  CHECK(length == -ESRCH || length == -ENOSYS);
  nth_thread_probe_destroy(probe);
}
