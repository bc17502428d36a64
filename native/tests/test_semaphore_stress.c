/* SPDX-License-Identifier: MIT
 *
 * Many threads at once: permits are conserved, and none waits for a later call.
 */
#include "semaphore_waiter.h"

enum { WAITERS = 6, RELEASERS = 3 };

typedef struct stress {
  nth_lifo_semaphore_t *semaphore;
  int64_t end;
  int64_t longest_timeout_ns;
  _Atomic int64_t released, acquired, timed_out;
  _Atomic uint32_t seed;
  _Atomic bool drain;
} stress_t;

static void wait_at_random(void *argument) {
  stress_t *stress = argument;
  uint32_t random = atomic_fetch_add(&stress->seed, 1);
  while (!atomic_load(&stress->drain)) {
    int32_t result;
    if (next_random(&random) % 4 == 0) {
      result = nth_lifo_semaphore_try_wait(stress->semaphore);
      CHECK(result == 0 || result == -EAGAIN);
    } else {
      int64_t timeout = (int64_t)next_random(&random) % stress->longest_timeout_ns;
      result = nth_lifo_semaphore_wait(stress->semaphore, timeout);
      CHECK(result == 0 || result == -ETIMEDOUT);
      atomic_fetch_add(&stress->timed_out, result != 0);
    }
    atomic_fetch_add(&stress->acquired, result == 0);
  }
}

static void release_at_random(void *argument) {
  stress_t *stress = argument;
  uint32_t random = atomic_fetch_add(&stress->seed, 1);
  while (now_ns() < stress->end) {
    int32_t count = 1 + (int32_t)(next_random(&random) % 4);
    CHECK_EQ(nth_lifo_semaphore_release(stress->semaphore, count), 0);
    atomic_fetch_add(&stress->released, count);
    spin_for((int64_t)next_random(&random) % (stress->longest_timeout_ns / 2));
  }
}

static void run(int64_t longest_timeout_ns, int64_t linger_ns) {
  stress_t stress = {
    .semaphore = new_semaphore(0, linger_ns),
    .end = stress_end(),
    .longest_timeout_ns = longest_timeout_ns,
    .seed = 1,
  };
  thread_t waiters[WAITERS], releasers[RELEASERS];
  for (int i = 0; i < WAITERS; i++) {
    start_thread(&waiters[i], wait_at_random, &stress);
  }
  for (int i = 0; i < RELEASERS; i++) {
    start_thread(&releasers[i], release_at_random, &stress);
  }
  for (int i = 0; i < RELEASERS; i++) {
    join_thread(&releasers[i]);
  }
  UNTIL(atomic_load(&stress.acquired) == atomic_load(&stress.released));
  atomic_store(&stress.drain, true);
  for (int i = 0; i < WAITERS; i++) {
    join_thread(&waiters[i]);
  }
  CHECK_EQ(atomic_load(&stress.acquired), atomic_load(&stress.released));
  CHECK(atomic_load(&stress.timed_out) > 0);
  destroy_quiet(stress.semaphore, 0);
}

TEST(T12_permits_are_conserved_with_timeouts_near_the_wake_latency) {
  run(100 * US, -1);
}

TEST(T12_permits_are_conserved_with_timeouts_of_nanoseconds_and_no_lingering) {
  run(5 * US, 0);
}

TEST(T12_permits_are_conserved_with_timeouts_of_milliseconds) {
  run(3 * MS, 10 * US);
}

/* ---- Endless waits: a permit that waits for a later call hangs ----------------------------------------- */

typedef struct ring {
  nth_lifo_semaphore_t *in, *out;
  int64_t rounds;
  int64_t count;
} ring_t;

static void relay(void *argument) {
  ring_t *ring = argument;
  while (ring->rounds-- > 0) {
    CHECK_EQ(nth_lifo_semaphore_wait(ring->in, ENDLESS), 0);
    CHECK_EQ(nth_lifo_semaphore_release(ring->out, 1), 0);
    ring->count++;
  }
}

TEST(T15_tokens_go_round_a_ring_of_semaphores_without_a_stop) {
  enum { NODES = 5, TOKENS = 3, ROUNDS = 6000 };
  nth_lifo_semaphore_t *semaphores[NODES];
  for (int i = 0; i < NODES; i++) {
    semaphores[i] = new_semaphore(i == 0 ? TOKENS : 0, i % 2 == 0 ? -1 : 0);
  }
  ring_t rings[NODES];
  thread_t threads[NODES];
  for (int i = 0; i < NODES; i++) {
    rings[i] = (ring_t){semaphores[i], semaphores[(i + 1) % NODES], ROUNDS, 0};
    start_thread(&threads[i], relay, &rings[i]);
  }
  for (int i = 0; i < NODES; i++) {
    join_thread(&threads[i]);
    CHECK_EQ(rings[i].count, ROUNDS);
  }
  for (int i = 0; i < NODES; i++) {
    destroy_quiet(semaphores[i], i == 0 ? TOKENS : 0);
  }
}

typedef struct batch {
  nth_lifo_semaphore_t *semaphore;
  _Atomic int64_t woken;
  _Atomic bool stop;
} batch_t;

static void wait_for_batch(void *argument) {
  batch_t *batch = argument;
  while (!atomic_load(&batch->stop)) {
    CHECK_EQ(nth_lifo_semaphore_wait(batch->semaphore, ENDLESS), 0);
    atomic_fetch_add(&batch->woken, 1);
  }
}

TEST(T56_every_permit_of_every_batch_wakes_somebody_without_a_later_call) {
  batch_t batch = {.semaphore = new_semaphore(0, -1)};
  thread_t threads[WAITERS];
  for (int i = 0; i < WAITERS; i++) {
    start_thread(&threads[i], wait_for_batch, &batch);
  }
  uint32_t random = 5;
  int64_t released = 0;
  for (int64_t end = stress_end(); now_ns() < end;) {
    /* In one call, or one by one, also while the wakes of the former are in flight. */
    int32_t count = 1 + (int32_t)(next_random(&random) % WAITERS);
    if (next_random(&random) % 2 == 0) {
      CHECK_EQ(nth_lifo_semaphore_release(batch.semaphore, count), 0);
    } else {
      for (int32_t i = 0; i < count; i++) {
        CHECK_EQ(nth_lifo_semaphore_release(batch.semaphore, 1), 0);
      }
    }
    released += count;
    UNTIL(atomic_load(&batch.woken) == released);
  }
  atomic_store(&batch.stop, true);
  CHECK_EQ(nth_lifo_semaphore_release(batch.semaphore, WAITERS), 0);
  for (int i = 0; i < WAITERS; i++) {
    join_thread(&threads[i]);
  }
  destroy_quiet(batch.semaphore, 0);
}
