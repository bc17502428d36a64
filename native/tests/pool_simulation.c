/* SPDX-License-Identifier: MIT
 *
 * The workers and producers behind pool_simulation.h.
 */
#include "pool_simulation.h"

static void start_one(pool_t *pool);

static void request(pool_t *pool) {
  if (nth_worker_signal_request(pool->signal, (uint32_t)(now_ns() / MS)) == NTH_REQUEST_START_THREAD) {
    start_one(pool);
  }
}

/* After publishing, which was a full fence. */
static void signal_if_needed(pool_t *pool) {
  uint64_t word = signal_word(pool->signal);
  bool suppressed = (word & (NTH_SIGNAL_REQUESTED | NTH_SIGNAL_LINGERING)) != 0;
  if (!suppressed && (idle_count(word) > 0 || (word & NTH_SIGNAL_GROWABLE) != 0)) {
    request(pool);
  }
}

static void publish(pool_t *pool, lane_t *lane) {
  atomic_fetch_add(&pool->published, 1);
  atomic_fetch_add(&lane->items, 1);
  signal_if_needed(pool);
}

void submit(pool_t *pool) {
  publish(pool, &pool->injector);
}

static bool take_from(lane_t *lane) {
  int64_t items = atomic_load(&lane->items);
  while (items > 0) {
    if (atomic_compare_exchange_weak(&lane->items, &items, items - 1)) {
      return true;
    }
  }
  return false;
}

static bool take(slot_t *slot) {
  pool_t *pool = slot->pool;
  size_t me = (size_t)(slot - pool->slots);
  bool found = take_from(&pool->lanes[me]) || take_from(&pool->injector);
  for (size_t i = 1; i < MOST_WORKERS && !found; i++) {
    found = take_from(&pool->lanes[(me + i) % MOST_WORKERS]);
  }
  return found;
}

static bool any_visible(pool_t *pool) {
  bool visible = atomic_load(&pool->injector.items) > 0;
  for (size_t i = 0; i < MOST_WORKERS && !visible; i++) {
    visible = atomic_load(&pool->lanes[i].items) > 0;
  }
  return visible;
}

static void run_item(slot_t *slot, uint32_t *random) {
  pool_t *pool = slot->pool;
  int64_t ticket = atomic_fetch_add(&pool->taken, 1);
  if (next_random(random) % 1000 < pool->spawn_per_1000) {
    publish(pool, &pool->lanes[slot - pool->slots]);
  }
  if (pool->blocks && ticket % 2 == 0) {
    UNTIL(atomic_load(&pool->odd_ran) > ticket / 2);
  }
  atomic_fetch_add(&pool->odd_ran, ticket % 2);
  atomic_fetch_add(&slot->ran, 1);
  atomic_fetch_add(&pool->ran, 1);
}

/* True if work was seen: LINGERING is off again, before the scan that follows (T48). */
static bool linger(pool_t *pool) {
  if (!pool->lingers || nth_linger_acquire(NTH_LINGER_IDLE_WORKER) == 0) {
    return false;
  }
  bool found = false;
  if ((set_bits(pool->signal, NTH_SIGNAL_LINGERING) & NTH_SIGNAL_LINGERING) == 0) {
    int64_t end = now_ns() + nth_wake_latency_ns();
    while (!found && now_ns() < end) {
      found = any_visible(pool);
    }
    clear_bits(pool->signal, NTH_SIGNAL_LINGERING);
  }
  nth_linger_release(NTH_LINGER_IDLE_WORKER);
  return found;
}

static void acknowledge(pool_t *pool) {
  clear_bits(pool->signal, NTH_SIGNAL_REQUESTED);
}

/* After a park that timed out. What is published from here on is for others, and so is what this worker sees.
 * */
static bool try_retire(pool_t *pool) {
  if (!pool->on_demand || atomic_load(&pool->settle)) {
    return false;
  }
  take_lock(&pool->starting);
  atomic_fetch_sub(&pool->threads, 1);
  set_bits(pool->signal, NTH_SIGNAL_GROWABLE);
  give_lock(&pool->starting);
  if (any_visible(pool)) {
    request(pool);
  }
  return true;
}

static void work(slot_t *slot, nth_worker_t *worker, uint32_t *random) {
  pool_t *pool = slot->pool;
  acknowledge(pool);
  for (;;) {
    while (take(slot)) {
      if (any_visible(pool)) {
        request(pool); /* before running, for the item may block (T4, T55) */
      }
      run_item(slot, random);
    }
    if (atomic_load(&pool->stop)) {
      atomic_fetch_sub(&pool->threads, 1);
      return;
    }
    if (linger(pool)) {
      continue;
    }
    bool wants = pool->sentinels && !atomic_load(&pool->settle) && next_random(random) % 2 == 0;
    bool is_sentinel = wants && nth_worker_announce_idle(worker, NTH_ANNOUNCE_SENTINEL) == 0;
    if (!is_sentinel) {
      CHECK_EQ(nth_worker_announce_idle(worker, 0), 0);
    }
    int32_t outcome;
    if (any_visible(pool) || atomic_load(&pool->stop)) {
      outcome = nth_worker_withdraw(worker);
    } else {
      bool endless = pool->park_ns == 0 || atomic_load(&pool->settle);
      int64_t timeout = endless ? -1 : (int64_t)next_random(random) % pool->park_ns;
      atomic_fetch_add(&pool->parked, 1);
      outcome = nth_worker_park(worker, is_sentinel && endless ? 50 * US : timeout);
      atomic_fetch_sub(&pool->parked, 1);
      if (outcome == NTH_PARK_TIMED_OUT && !is_sentinel && try_retire(pool)) {
        return;
      }
    }
    if (outcome == NTH_PARK_CHOSEN) {
      acknowledge(pool); /* before the scan (T1, T55) */
    }
  }
}

static void run_worker(void *argument) {
  slot_t *slot = argument;
  /* The signal outlives its workers: close_pool joins this thread first. */
  nth_worker_t *worker = NULL;
  CHECK_EQ(nth_worker_create(slot->pool->signal, &worker), 0);
  uint32_t random = (uint32_t)(slot - slot->pool->slots) + 1;
  work(slot, worker, &random);
  nth_worker_destroy(worker);
  atomic_store(&slot->state, SLOT_ENDED);
}

/* A slot that no thread uses any more; those on their way out leave theirs soon. */
static slot_t *find_slot(pool_t *pool) {
  for (int64_t give_up = now_ns() + DEADLINE_NS;; give_cpu_away()) {
    for (int i = 0; i < MOST_WORKERS; i++) {
      if (atomic_load(&pool->slots[i].state) != SLOT_RUNNING) {
        return &pool->slots[i];
      }
    }
    CHECK(now_ns() < give_up);
  }
}

static void start_one(pool_t *pool) {
  take_lock(&pool->starting);
  CHECK(atomic_load(&pool->threads) < pool->workers);
  if (atomic_fetch_add(&pool->threads, 1) + 1 == pool->workers) {
    clear_bits(pool->signal, NTH_SIGNAL_GROWABLE); /* before the thread can acknowledge */
  }
  slot_t *slot = find_slot(pool);
  if (atomic_exchange(&slot->state, SLOT_RUNNING) == SLOT_ENDED) {
    join_thread(&slot->thread);
  }
  slot->pool = pool;
  start_thread(&slot->thread, run_worker, slot);
  give_lock(&pool->starting);
}

void open_pool(pool_t *pool) {
  pool->signal = new_signal();
  set_bits(pool->signal, NTH_SIGNAL_GROWABLE);
  for (int i = 0; i < pool->workers && !pool->on_demand; i++) {
    start_one(pool);
  }
}

void await_all_ran(pool_t *pool) {
  int64_t published = atomic_load(&pool->published);
  UNTIL(atomic_load(&pool->ran) >= published);
}

void await_quiet(pool_t *pool) {
  UNTIL(atomic_load(&pool->ran) == atomic_load(&pool->published));
  atomic_store(&pool->settle, true);
  for (int64_t give_up = now_ns() + DEADLINE_NS;; give_cpu_away()) {
    int threads = atomic_load(&pool->threads);
    uint64_t growable = threads < pool->workers ? NTH_SIGNAL_GROWABLE : 0;
    uint64_t quiet = (uint64_t)threads << NTH_SIGNAL_IDLE_SHIFT | growable;
    uint64_t word = signal_word(pool->signal) & UINT32_MAX;
    /* A worker that has announced itself may still scan, and take the next item in place of the chosen one. */
    if (word == quiet && atomic_load(&pool->parked) == threads) {
      return;
    }
    if (now_ns() > give_up) {
      fail(__FILE__, __LINE__, "the word stays %" PRIx64 ", not %" PRIx64, word, quiet);
    }
  }
}

void close_pool(pool_t *pool) {
  atomic_store(&pool->stop, true);
  clear_bits(pool->signal, NTH_SIGNAL_GROWABLE);
  for (int64_t give_up = now_ns() + DEADLINE_NS; atomic_load(&pool->threads) > 0; give_cpu_away()) {
    CHECK(nth_worker_signal_request(pool->signal, 0) != NTH_REQUEST_START_THREAD);
    CHECK(now_ns() < give_up);
  }
  for (int i = 0; i < MOST_WORKERS; i++) {
    if (atomic_load(&pool->slots[i].state) != SLOT_FREE) {
      join_thread(&pool->slots[i].thread);
    }
  }
  /* A last request may have come after the last worker's acknowledgement. */
  clear_bits(pool->signal, NTH_SIGNAL_REQUESTED);
  destroy_signal(pool->signal);
}
