/* SPDX-License-Identifier: MIT
 *
 * Signals: calls of the system that end with EINTR, one by one and in storms.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "event_loop_support.h"
#include "faults.h"
#include "harness.h"
#include "native_threading.h"
#include "pool_simulation.h"
#include "prim/prim.h"

/* ---- Each call in turn ---------------------------------------------------------------------------------- */

/* A wake, a descriptor and a timer through the kernel, and a registration that has to be renewed. */
static void all_that_a_loop_does(void) {
  fixture_t *fixture = open_loop();
  duct_t duct = open_sockets();
  CHECK(nth_event_loop_add(fixture->loop, duct.read, NTH_READY_READ, 7) >= 0);
  CHECK_EQ(nth_event_loop_wake(fixture->loop, NTH_WAKE_KERNEL), 1);
  CHECK_EQ(poll_one(fixture, ENDLESS).kind, NTH_EVENT_WAKE);
  put_byte(duct.write);
  UNTIL(poll_for(fixture, 0) == 1); /* a look that was interrupted sees nothing */
  CHECK_EQ(fixture->events[0].token, 7);
  put_byte(duct.write);
  CHECK_EQ(poll_one(fixture, ENDLESS).token, 7);
  take_byte(duct.read);
  take_byte(duct.read);
  int64_t due = nth__now_ns() + 2 * MS;
  timer_at(fixture, 1, due);
  CHECK_EQ(poll_one(fixture, ENDLESS).kind, NTH_EVENT_TIMER);
  CHECK(nth__now_ns() >= due);
  int duplicate = dup(duct.read);
  CHECK_EQ(nth_io_close(duct.read), 0);
  duct_t again = open_pipe();
  CHECK_EQ(again.read, duct.read);
  CHECK(nth_event_loop_add(fixture->loop, again.read, NTH_READY_READ, 9) >= 0);
  put_byte(duct.write);
  CHECK_EQ(poll_for(fixture, 2 * MS), 0);
  put_byte(again.write);
  CHECK_EQ(poll_one(fixture, ENDLESS).token, 9);
  close(duplicate);
  close_loop(fixture);
  close_duct(again);
  CHECK_EQ(nth_io_close(duct.write), 0);
}

TEST(each_call_that_a_loop_makes_may_be_interrupted) {
  for (int n = 1;; n++) {
    set_fault(INTERRUPTED, n, 0);
    all_that_a_loop_does();
    if (faults_made(INTERRUPTED) == 0) {
      CHECK(n > 10);
      return;
    }
  }
}

TEST(every_other_call_that_a_loop_makes_may_be_interrupted) {
  for (int64_t first = 1; first <= 2; first++) {
    set_fault(INTERRUPTED, first, 2);
    all_that_a_loop_does();
    CHECK(faults_made(INTERRUPTED) > 5);
  }
}

/* ---- Storms of real signals ------------------------------------------------------------------------------ */

static _Atomic int64_t signals;
static _Atomic bool storm_over;

static void on_signal(int number) {
  (void)number;
  atomic_fetch_add(&signals, 1);
}

static void handle_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal; /* without SA_RESTART */
  CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

/* To the process: whichever thread does not block it takes it, and in turn they all do. */
static void rage(void *argument) {
  (void)argument;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  while (!atomic_load(&storm_over)) {
    CHECK_EQ(kill(getpid(), SIGUSR1), 0);
    spin_for(20 * US);
  }
}

static void check_timers_in_a_storm(void) {
  fixture_t *fixture = open_loop();
  for (int i = 0; i < 50; i++) {
    int64_t due = nth__now_ns() + 3 * MS;
    int64_t timer = timer_at(fixture, 1, due);
    CHECK_EQ(poll_one(fixture, ENDLESS).kind, NTH_EVENT_TIMER);
    CHECK(nth__now_ns() >= due);
    CHECK_EQ(nth_event_loop_timer_destroy(fixture->loop, timer), 0);
  }
  int64_t before = nth__now_ns();
  CHECK_EQ(poll_for(fixture, 50 * MS), 0);
  CHECK(nth__now_ns() - before >= 50 * MS);
  close_loop(fixture);
}

TEST(a_storm_of_signals_ends_no_sleep_of_a_loop_early_and_loses_no_item_of_a_pool) {
  static pool_t pool = {.workers = 3, .on_demand = true, .sentinels = true, .park_ns = 2 * MS, .spawn_per_1000 = 200};
  handle_signals();
  thread_t storm;
  start_thread(&storm, rage, NULL);
  check_timers_in_a_storm();
  open_pool(&pool);
  int64_t end = stress_end();
  for (uint32_t random = 1; now_ns() < end;) {
    submit(&pool);
    spin_for(next_random(&random) % (50 * US));
  }
  await_all_ran(&pool);
  UNTIL(atomic_load(&signals) > 100); /* where the thread that sends them hardly got a processor so far */
  atomic_store(&storm_over, true);
  join_thread(&storm);
  await_quiet(&pool);
  close_pool(&pool);
}
