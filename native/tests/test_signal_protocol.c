/* SPDX-License-Identifier: MIT
 *
 * Producers and workers together: no item is stranded, and what is left at the end is idle workers and
 * nothing else.
 */
#include "pool_simulation.h"

typedef struct producer {
  pool_t *pool;
  int64_t end;
  int64_t longest_pause_ns;
  uint32_t longest_burst;
  uint32_t seed;
} producer_t;

/* Publishes a burst, waits until it has run, and lets the workers get as far as they do in a random pause. */
static void produce(void *argument) {
  producer_t *producer = argument;
  uint32_t random = producer->seed;
  while (now_ns() < producer->end) {
    uint32_t burst = 1 + next_random(&random) % producer->longest_burst;
    for (uint32_t i = 0; i < burst; i++) {
      submit(producer->pool);
    }
    await_all_ran(producer->pool);
    spin_for((int64_t)next_random(&random) % producer->longest_pause_ns);
  }
}

static void run(pool_t *pool, int producers, uint32_t longest_burst, int64_t longest_pause_ns) {
  open_pool(pool);
  thread_t threads[4];
  producer_t arguments[4];
  int64_t end = stress_end();
  for (int i = 0; i < producers; i++) {
    arguments[i] = (producer_t){pool, end, longest_pause_ns, longest_burst, (uint32_t)i + 1};
    start_thread(&threads[i], produce, &arguments[i]);
  }
  for (int i = 0; i < producers; i++) {
    join_thread(&threads[i]);
  }
  await_quiet(pool);
  CHECK(atomic_load(&pool->ran) > 0);
  close_pool(pool);
}

TEST(T1_single_items_with_endless_parks) {
  static pool_t pool = {.workers = 4};
  run(&pool, 1, 1, 60 * US);
}

TEST(T1_bursts_of_two_producers_with_endless_parks) {
  static pool_t pool = {.workers = 4, .spawn_per_1000 = 300};
  run(&pool, 2, 4, 60 * US);
}

TEST(T2_one_worker_one_producer_and_no_pause_to_speak_of) {
  static pool_t pool = {.workers = 1};
  run(&pool, 1, 1, 1 * US);
}

TEST(T4_T55_items_that_wait_for_the_item_behind_them) {
  static pool_t pool = {.workers = 3, .blocks = true};
  open_pool(&pool);
  for (int64_t end = stress_end(); now_ns() < end;) {
    submit(&pool); /* by ticket: blocks */
    submit(&pool); /* releases it */
    await_all_ran(&pool);
  }
  await_quiet(&pool);
  close_pool(&pool);
}

TEST(T12_parks_that_time_out_as_requests_come) {
  static pool_t pool = {.workers = 4, .park_ns = 60 * US, .spawn_per_1000 = 300};
  run(&pool, 2, 3, 60 * US);
}

TEST(T16_workers_that_end_as_requests_come_and_are_started_on_demand) {
  static pool_t pool = {.workers = 3, .on_demand = true, .park_ns = 60 * US, .spawn_per_1000 = 200};
  run(&pool, 2, 3, 120 * US);
}

TEST(T48_a_lingerer_and_items_about_one_linger_time_apart) {
  static pool_t pool = {.workers = 4, .lingers = true, .spawn_per_1000 = 300};
  run(&pool, 1, 2, 60 * US);
}

TEST(T48_two_producers_a_lingerer_and_short_parks) {
  static pool_t pool = {.workers = 4, .lingers = true, .park_ns = 100 * US, .spawn_per_1000 = 300};
  run(&pool, 2, 2, 60 * US);
}

TEST(T6_sentinels_lingerers_and_workers_on_demand_all_at_once) {
  static pool_t pool = {
    .workers = 6,
    .on_demand = true,
    .lingers = true,
    .sentinels = true,
    .park_ns = 100 * US,
    .spawn_per_1000 = 300,
  };
  run(&pool, 3, 4, 100 * US);
}

TEST(T60_more_producers_and_workers_than_cpus) {
  static pool_t pool = {.workers = MOST_WORKERS, .park_ns = 20 * US, .spawn_per_1000 = 500};
  run(&pool, 4, 8, 20 * US);
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

static void trickle(int workers, int items) {
  static pool_t pools[2];
  static int used;
  pool_t *pool = &pools[used++];
  pool->workers = workers;
  open_pool(pool);
  await_quiet(pool);
  for (int i = 0; i < items; i++) {
    submit(pool);
    await_quiet(pool);
  }
  int distinct = 0;
  for (int i = 0; i < MOST_WORKERS; i++) {
    distinct += atomic_load(&pool->slots[i].ran) > 0;
  }
  CHECK_EQ(distinct, 1); /* T18, T19: the others stay asleep */
  CHECK(nth_worker_signal_wakes(pool->signal) <= items); /* T25, T51 */
  close_pool(pool);
}

TEST(T18_T25_a_trickle_uses_one_worker_and_at_most_one_wake_for_each_item) {
  trickle(4, 500);
  trickle(MOST_WORKERS, 500);
}

TEST(T53_a_busy_pool_makes_hardly_any_wakes) {
  static pool_t pool = {.workers = 2};
  enum { ITEMS = 200000 };
  open_pool(&pool);
  await_quiet(&pool);
  for (int i = 0; i < ITEMS; i++) {
    submit(&pool);
  }
  await_all_ran(&pool);
  CHECK(nth_worker_signal_wakes(pool.signal) < ITEMS / 2); /* far fewer on an idle machine */
  await_quiet(&pool);
  close_pool(&pool);
}
