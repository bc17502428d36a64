/* SPDX-License-Identifier: MIT
 *
 * A thread pool reduced to its signalling: queues are counters, an item is a number taken off one. It does
 * what the managed pool does with the worker signal, in the same order, so that a wake lost by either side
 * strands an item.
 */
#ifndef TESTS_POOL_SIMULATION_H
#define TESTS_POOL_SIMULATION_H

#include "prim/prim.h"
#include "signal_worker.h"

enum { MOST_WORKERS = 16 };

typedef struct lane {
  NTH__OWN_LINE _Atomic int64_t items;
} lane_t;

enum { SLOT_FREE, SLOT_RUNNING, SLOT_ENDED };

typedef struct slot {
  struct pool *pool;
  thread_t thread;
  _Atomic int state;
  _Atomic int64_t ran;
} slot_t;

typedef struct pool {
  /* Chosen by the test before it opens the pool. */
  int workers;             /* at most */
  bool on_demand;          /* start workers when asked to, end them when their park times out */
  bool lingers;
  bool sentinels;
  bool blocks;             /* each even item waits for the odd one taken after it: needs two workers */
  int64_t park_ns;         /* the longest park; 0: endless */
  uint32_t spawn_per_1000; /* items that put another into their worker's lane */

  nth_worker_signal_t *signal;
  lane_t injector;
  lane_t lanes[MOST_WORKERS];
  NTH__OWN_LINE _Atomic int64_t published, taken, ran, odd_ran;
  _Atomic int threads;
  _Atomic int parked;  /* behind their last scan */
  _Atomic bool settle; /* park without a limit from now on */
  _Atomic bool stop;
  test_lock_t starting; /* starts, the number of threads and GROWABLE change together */
  slot_t slots[MOST_WORKERS];
} pool_t;

void open_pool(pool_t *pool);

/* Publishes an item, then makes a request if the word says that one is needed. */
void submit(pool_t *pool);

/* Waits until all that was published has run: a stranded item fails the test. */
void await_all_ran(pool_t *pool);

/* Waits until every worker is parked, and checks that the word says just that (T6). */
void await_quiet(pool_t *pool);

/* Ends the workers and destroys the signal. The pool is quiet. */
void close_pool(pool_t *pool);

#endif
