/* SPDX-License-Identifier: MIT
 *
 * The events that the current poll has written into its caller's array. Each timer and registration knows its event, so
 * one that becomes stale before the caller reads it can be struck out (T76).
 */
#ifndef NTH__EVENT_BATCH_H
#define NTH__EVENT_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "native_threading.h"

typedef struct nth__batch {
  nth_event_t *events;
  int32_t count;
  int32_t capacity;
  uint64_t number; /* 64 bits, so never used again; 0: no batch */
} nth__batch_t;

/* Kept by a registration or a timer: where its event is, valid for the batch of that number. */
typedef struct nth__batch_entry {
  uint64_t number;
  int32_t index;
} nth__batch_entry_t;

static inline int32_t nth__batch_room(const nth__batch_t *batch) {
  return batch->capacity - batch->count;
}

static inline void nth__batch_append(
    nth__batch_t *batch, nth__batch_entry_t *entry, uint64_t token, uint32_t kind, uint32_t flags) {
  *entry = (nth__batch_entry_t){batch->number, batch->count};
  batch->events[batch->count++] = (nth_event_t){token, kind, flags};
}

/* True if there was an event to strike out. */
static inline bool nth__batch_strike_out(nth__batch_t *batch, nth__batch_entry_t *entry) {
  bool there = batch->events != NULL && entry->number == batch->number
               && batch->events[entry->index].kind != NTH_EVENT_NONE;
  if (there) {
    batch->events[entry->index].kind = NTH_EVENT_NONE;
  }
  entry->number = 0;
  return there;
}

#endif
