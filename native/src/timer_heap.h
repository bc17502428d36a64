/* SPDX-License-Identifier: MIT
 *
 * Timers: a table of them, and a heap of those armed. Used by one thread.
 */
#ifndef NTH__TIMER_HEAP_H
#define NTH__TIMER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "event_batch.h"

/* An armed timer in the heap. order: sequence number << 32 | timer. */
typedef struct nth__heap_entry {
  int64_t deadline_ns;
  uint64_t order;
} nth__heap_entry_t;

typedef struct nth__timer {
  uint64_t token;
  nth__batch_entry_t entry; /* its event, where it was due in the current batch */
  uint32_t generation;      /* of the handle: 31 bits */
  uint32_t position;        /* in the heap; 0: not armed. Next in the free list, where it is not in use */
  bool used;
} nth__timer_t;

typedef struct nth__timer_heap {
  nth__heap_entry_t *entries; /* those in use begin at NTH__HEAP_ROOT */
  nth__timer_t *timers;
  uint32_t armed;
  uint32_t created;  /* timers that were ever in use */
  uint32_t capacity; /* of both arrays */
  uint32_t free;     /* the first of the free list, plus one; 0: empty */
  uint32_t next_sequence;
  int64_t floor_ns;  /* the time of the last poll: what an earlier deadline counts as */
} nth__timer_heap_t;

/* With the root here, the four children of an entry share one cache line. */
enum { NTH__HEAP_ROOT = 3 };

void nth__timers_free(nth__timer_heap_t *heap);

/* A handle, or -ENOMEM. */
int64_t nth__timer_create(nth__timer_heap_t *heap, uint64_t token);

/* The timer of a handle, or NULL. */
nth__timer_t *nth__timer_find(nth__timer_heap_t *heap, int64_t handle);

void nth__timer_arm(nth__timer_heap_t *heap, nth__timer_t *timer, int64_t deadline_ns);

/* True if it was armed. */
bool nth__timer_disarm(nth__timer_heap_t *heap, nth__timer_t *timer);

/* Of a disarmed timer. */
void nth__timer_release(nth__timer_heap_t *heap, nth__timer_t *timer);

/* The earliest deadline; INT64_MAX without one. */
static inline int64_t nth__timers_next(const nth__timer_heap_t *heap) {
  return heap->armed == 0 ? INT64_MAX : heap->entries[NTH__HEAP_ROOT].deadline_ns;
}

/* Disarms those due at now_ns and appends their events, as many as there is room for. */
void nth__timers_take_due(nth__timer_heap_t *heap, int64_t now_ns, nth__batch_t *batch);

#endif
