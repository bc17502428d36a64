/* SPDX-License-Identifier: MIT
 *
 * What managed code does with a worker signal, in C: the four ways it changes the word, and a worker that
 * announces and parks once on a thread of its own.
 */
#ifndef TESTS_SIGNAL_WORKER_H
#define TESTS_SIGNAL_WORKER_H

#include "harness.h"
#include "native_threading.h"

nth_worker_signal_t *new_signal(void);

/* Sequentially consistent, like Interlocked and a volatile read after a full fence. */
uint64_t signal_word(nth_worker_signal_t *signal);
uint64_t set_bits(nth_worker_signal_t *signal, uint64_t bits);   /* returns the word before */
uint64_t clear_bits(nth_worker_signal_t *signal, uint64_t bits); /* returns the word before */

int idle_count(uint64_t word);
uint32_t stamp_of(uint64_t word);

/* T6: nothing left but idle workers, and the flags given. Stamps may stay. */
void check_quiet(nth_worker_signal_t *signal, int idle, uint64_t flags);

void destroy_signal(nth_worker_signal_t *signal);

typedef struct parked {
  thread_t thread;
  nth_worker_signal_t *signal;
  nth_worker_t *worker;
  int64_t timeout_ns;
  int64_t elapsed_ns;
  uint32_t flags;
  bool withdraw;          /* instead of parking */
  int32_t announced;      /* the results */
  int32_t outcome;
  _Atomic bool done;
} parked_t;

/* Starts a thread that announces and parks (or withdraws) once, acknowledges if chosen, and frees its parker.
 * */
void start_worker(parked_t *parked, nth_worker_signal_t *signal, int64_t timeout_ns);

/* The same, and waits until that many are idle. */
void start_idle(parked_t *parked, nth_worker_signal_t *signal, int64_t timeout_ns, int idle);

int32_t join_worker(parked_t *parked);

#endif
