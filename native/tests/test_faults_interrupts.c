/* SPDX-License-Identifier: MIT
 *
 * Signals: calls of the system that end with EINTR, one by one and in storms; and sleeps that end to find hours gone.
 */
#include <signal.h>
#include <unistd.h>

#include "clock_door.h"
#include "event_loop_support.h"
#include "faults.h"
#include "harness.h"
#include "interrupts.h"
#include "native_threading.h"
#include "pool_simulation.h"
#include "prim/prim.h"
#include "semaphore_waiter.h"

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
  CHECK_EQ(close(duct.read), 0);
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
  CHECK_EQ(close(duct.write), 0);
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

static _Atomic bool storm_over;

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
  handle_interrupts();
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
  UNTIL(interrupts() > 100); /* where the thread that sends them hardly got a processor so far */
  atomic_store(&storm_over, true);
  join_thread(&storm);
  await_quiet(&pool);
  close_pool(&pool);
}

/* ---- A clock that leaps while something sleeps ---------------------------------------------------------- */

static const int64_t hour = 3600 * SEC;

TEST(a_loop_that_sleeps_through_a_leap_is_woken_and_tells_what_is_due) {
  fixture_t *fixture = open_loop();
  duct_t duct = open_pipe();
  CHECK(nth_event_loop_add(fixture->loop, duct.read, NTH_READY_READ, 7) >= 0);
  timer_at(fixture, 1, nth__now_ns() + 10 * hour);
  leap_at_every(2, 20 * hour); /* between the reading before the sleep and the one after it */
  put_byte(duct.write);
  CHECK_EQ(poll_for(fixture, -1), 2);
  leap_at_every(0, 0);
  close_loop(fixture);
  close_duct(duct);
}

TEST(a_wait_whose_deadline_a_leap_passed_times_out_and_keeps_the_permits) {
  handle_interrupts();
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiter;
  start_parked(&waiter, semaphore, hour, 1);
  leap(2 * hour);
  while (!atomic_load(&waiter.done)) {
    interrupt(&waiter.thread); /* the kernel's clock has not leapt: it has to be asked again */
    spin_for(100 * US);
  }
  CHECK_EQ(join_waiter(&waiter), -ETIMEDOUT);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  destroy_quiet(semaphore, 1);
}
