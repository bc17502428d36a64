/* SPDX-License-Identifier: MIT
 *
 * Parks that return for no reason, and wakes that never arrive.
 */
#include "faults.h"
#include "harness.h"
#include "native_threading.h"
#include "pool_simulation.h"
#include "prim/prim.h"
#include "semaphore_waiter.h"
#include "signal_worker.h"

TEST(T17_parks_that_return_at_once_end_no_wait_and_lose_no_permit) {
  set_fault(PARK_FOR_NOTHING, 1, 2);
  for (int round = 0; round < 200; round++) {
    nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
    waiter_t endless, timed;
    start_parked(&endless, semaphore, ENDLESS, 1);
    start_waiter(&timed, semaphore, 1 * MS); /* its time may be over before the test could see it parked */
    CHECK_EQ(join_waiter(&timed), -ETIMEDOUT);
    CHECK(timed.elapsed_ns >= 1 * MS);
    CHECK(!atomic_load(&endless.done));
    CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
    CHECK_EQ(join_waiter(&endless), 0);
    destroy_quiet(semaphore, 0);
  }
  CHECK(faults_made(PARK_FOR_NOTHING) >= 200);
}

TEST(T17_workers_whose_parks_all_return_at_once_are_chosen_once_each) {
  set_fault(PARK_FOR_NOTHING, 1, 1); /* they poll the kernel, and that is all */
  nth_worker_signal_t *signal = new_signal();
  parked_t workers[3] = {0};
  for (int i = 0; i < 3; i++) {
    start_idle(&workers[i], signal, ENDLESS, i + 1);
  }
  for (int i = 2; i >= 0; i--) {
    CHECK_EQ(nth_worker_signal_request(signal, 0), NTH_REQUEST_WOKE);
    CHECK_EQ(join_worker(&workers[i]), NTH_PARK_CHOSEN);
    CHECK_EQ(idle_count(signal_word(signal)), i);
  }
  check_quiet(signal, 0, 0);
  destroy_signal(signal);
}

/* The token is there although the wake is not: a thread that waits with a deadline finds it then. */
TEST(a_waiter_whose_wake_is_swallowed_has_its_permit_at_its_deadline) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t waiter;
  start_parked(&waiter, semaphore, 300 * MS, 1);
  spin_for(20 * MS); /* into the kernel */
  set_fault(WAKE_SWALLOWED, 1, 1);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(join_waiter(&waiter), 0);
  set_fault(WAKE_SWALLOWED, 0, 0);
  destroy_quiet(semaphore, 0);
}

TEST(a_swallowed_wake_reaches_nobody_else_and_blocks_nobody_else) {
  nth_lifo_semaphore_t *semaphore = new_semaphore(0, 0);
  waiter_t lost, next;
  start_parked(&next, semaphore, ENDLESS, 1);
  start_parked(&lost, semaphore, 2 * SEC, 2);
  spin_for(20 * MS);
  set_fault(WAKE_SWALLOWED, 1, 0);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0); /* for the last one that came, who is not told */
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  CHECK_EQ(join_waiter(&next), 0);
  CHECK_EQ(join_waiter(&lost), 0);
  destroy_quiet(semaphore, 0);
}

/* Two ways to park at every other turn, workers that come and go, and nothing may be stranded. */
TEST(T17_a_pool_whose_parks_return_at_once_every_other_time_runs_every_item) {
  static pool_t pool = {.workers = 4, .on_demand = true, .sentinels = true, .park_ns = 1 * MS, .spawn_per_1000 = 300};
  set_fault(PARK_FOR_NOTHING, 1, 2);
  open_pool(&pool);
  int64_t end = stress_end();
  for (uint32_t random = 1; now_ns() < end;) {
    submit(&pool);
    spin_for(next_random(&random) % (30 * US));
  }
  await_all_ran(&pool);
  await_quiet(&pool);
  CHECK(faults_made(PARK_FOR_NOTHING) > 0);
  close_pool(&pool);
}
