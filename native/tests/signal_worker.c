/* SPDX-License-Identifier: MIT
 *
 * The worker behind signal_worker.h.
 */
#include "signal_worker.h"

#include <string.h>

static _Atomic uint64_t *word_pointer(nth_worker_signal_t *signal) {
  return (_Atomic uint64_t *)nth_worker_signal_word(signal);
}

nth_worker_signal_t *new_signal(void) {
  nth_worker_signal_t *signal = NULL;
  CHECK_EQ(nth_worker_signal_create(&signal), 0);
  CHECK_EQ((uintptr_t)nth_worker_signal_word(signal) % 64, 0);
  CHECK_EQ(signal_word(signal), 0);
  return signal;
}

uint64_t signal_word(nth_worker_signal_t *signal) {
  return atomic_load(word_pointer(signal));
}

uint64_t set_bits(nth_worker_signal_t *signal, uint64_t bits) {
  return atomic_fetch_or(word_pointer(signal), bits);
}

uint64_t clear_bits(nth_worker_signal_t *signal, uint64_t bits) {
  return atomic_fetch_and(word_pointer(signal), ~bits);
}

int idle_count(uint64_t word) {
  return (int)(word >> NTH_SIGNAL_IDLE_SHIFT & UINT16_MAX);
}

uint32_t stamp_of(uint64_t word) {
  return (uint32_t)(word >> NTH_SIGNAL_STAMP_SHIFT);
}

void check_quiet(nth_worker_signal_t *signal, int idle, uint64_t flags) {
  uint64_t word = signal_word(signal);
  CHECK_EQ(word & UINT32_MAX, ((uint64_t)idle << NTH_SIGNAL_IDLE_SHIFT | flags));
}

void destroy_signal(nth_worker_signal_t *signal) {
  check_quiet(signal, 0, signal_word(signal) & NTH_SIGNAL_GROWABLE);
  nth_worker_signal_destroy(signal);
}

static void run_worker(void *argument) {
  parked_t *parked = argument;
  CHECK_EQ(nth_worker_create(parked->signal, &parked->worker), 0);
  int64_t began = now_ns();
  parked->announced = nth_worker_announce_idle(parked->worker, parked->flags);
  if (parked->announced == 0) {
    parked->outcome = parked->withdraw ? nth_worker_withdraw(parked->worker)
                                       : nth_worker_park(parked->worker, parked->timeout_ns);
    parked->elapsed_ns = now_ns() - began;
    if (parked->outcome == NTH_PARK_CHOSEN) {
      clear_bits(parked->signal, NTH_SIGNAL_REQUESTED);
    }
  }
  nth_worker_destroy(parked->worker);
  atomic_store(&parked->done, true);
}

void start_worker(parked_t *parked, nth_worker_signal_t *signal, int64_t timeout_ns) {
  parked->signal = signal;
  parked->timeout_ns = timeout_ns;
  parked->outcome = -1;
  atomic_store(&parked->done, false);
  start_thread(&parked->thread, run_worker, parked);
}

void start_idle(parked_t *parked, nth_worker_signal_t *signal, int64_t timeout_ns, int idle) {
  start_worker(parked, signal, timeout_ns);
  UNTIL(idle_count(signal_word(signal)) == idle);
}

int32_t join_worker(parked_t *parked) {
  join_thread(&parked->thread);
  return parked->outcome;
}
