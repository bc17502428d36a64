/* SPDX-License-Identifier: MIT
 *
 * The timer heap.
 *
 * An array heap with four children to an entry: half the levels of a binary one, and the four that are compared at each
 * level lie in one cache line. An entry holds all that is compared (deadline, then sequence number), so no timer is
 * read while the heap is searched. Each move writes the new position into the timer's row; so disarming and re-arming
 * are O(log n).
 *
 * Order. Each arming takes the next sequence number, so equal deadlines fire in arming order (T75). The numbers have 32
 * bits. When they are used up, the heap is sorted once and numbered anew from 0; a sorted array is a heap. A deadline
 * earlier than the last poll's time counts as that time. Otherwise a timer armed for 0 from its own callback would go
 * before those that are due already, in every poll (T74).
 *
 * Memory. Both arrays grow when a timer is created, never when it is armed, and are never moved otherwise.
 */
#include "timer_heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "prim/errors.h"
#include "prim/prim.h"
#include "tuning.h"

enum { ROOT = NTH__HEAP_ROOT, FREE_LIST_END = 0 };

static const uint32_t most_timers = (uint32_t)1 << 30, generations = (uint32_t)1 << 31;

static uint32_t row_of(nth__heap_entry_t entry) {
  return (uint32_t)entry.order;
}

static uint32_t parent(uint32_t position) {
  return position / 4 + 2;
}

static uint32_t first_child(uint32_t position) {
  return 4 * (position - 2);
}

/* Without branches: with random deadlines half of them would be mispredicted. */
static bool before(nth__heap_entry_t left, nth__heap_entry_t right) {
  return (left.deadline_ns < right.deadline_ns)
         | ((left.deadline_ns == right.deadline_ns) & (left.order < right.order));
}

static void place(nth__timer_heap_t *heap, uint32_t position, nth__heap_entry_t entry) {
  heap->entries[position] = entry;
  heap->timers[row_of(entry)].position = position;
}

/* Moves the hole at the position towards the root until the entry fits in. */
static void sift_up(nth__timer_heap_t *heap, uint32_t position, nth__heap_entry_t entry) {
  while (position > ROOT) {
    uint32_t up = parent(position);
    if (!before(entry, heap->entries[up])) {
      break;
    }
    place(heap, position, heap->entries[up]);
    position = up;
  }
  place(heap, position, entry);
}

static uint32_t earliest_child(const nth__heap_entry_t *entries, uint32_t child, uint32_t end) {
  if (child + 4 <= end) {
    uint32_t left = child + before(entries[child + 1], entries[child]);
    uint32_t right = child + 2 + before(entries[child + 3], entries[child + 2]);
    return before(entries[right], entries[left]) ? right : left;
  }
  uint32_t earliest = child;
  for (uint32_t other = child + 1; other < end; other++) {
    earliest = before(entries[other], entries[earliest]) ? other : earliest;
  }
  return earliest;
}

/* Moves the hole away from the root until the entry fits in. */
static void sift_down(nth__timer_heap_t *heap, uint32_t position, nth__heap_entry_t entry) {
  uint32_t end = ROOT + heap->armed;
  for (;;) {
    uint32_t child = first_child(position);
    if (child >= end) {
      break;
    }
    child = earliest_child(heap->entries, child, end);
    if (!before(heap->entries[child], entry)) {
      break;
    }
    place(heap, position, heap->entries[child]);
    position = child;
  }
  place(heap, position, entry);
}

static void put(nth__timer_heap_t *heap, uint32_t position, nth__heap_entry_t entry) {
  if (position > ROOT && before(entry, heap->entries[parent(position)])) {
    sift_up(heap, position, entry);
  } else {
    sift_down(heap, position, entry);
  }
}

/* Takes the entry at the position out of the heap. The caller marks its timer's row. */
static void take_out(nth__timer_heap_t *heap, uint32_t position) {
  uint32_t last = ROOT + --heap->armed;
  if (position != last) {
    put(heap, position, heap->entries[last]);
  }
}

static int by_order(const void *left, const void *right) {
  const nth__heap_entry_t *l = left, *r = right;
  return before(*l, *r) ? -1 : before(*r, *l);
}

static void number_anew(nth__timer_heap_t *heap) {
  qsort(heap->entries + ROOT, heap->armed, sizeof heap->entries[0], by_order);
  for (uint32_t i = 0; i < heap->armed; i++) {
    nth__heap_entry_t entry = heap->entries[ROOT + i];
    entry.order = (uint64_t)i << 32 | row_of(entry);
    place(heap, ROOT + i, entry);
  }
  heap->next_sequence = heap->armed;
}

void nth__timer_arm(nth__timer_heap_t *heap, nth__timer_t *timer, int64_t deadline_ns) {
  if (heap->next_sequence == UINT32_MAX) {
    number_anew(heap);
  }
  uint32_t row = (uint32_t)(timer - heap->timers);
  nth__heap_entry_t entry = {
    deadline_ns > heap->floor_ns ? deadline_ns : heap->floor_ns,
    (uint64_t)heap->next_sequence++ << 32 | row,
  };
  if (timer->position == 0) {
    assert(heap->armed < heap->capacity);
    sift_up(heap, ROOT + heap->armed++, entry);
  } else {
    put(heap, timer->position, entry);
  }
}

bool nth__timer_disarm(nth__timer_heap_t *heap, nth__timer_t *timer) {
  uint32_t position = timer->position;
  if (position == 0) {
    return false;
  }
  take_out(heap, position);
  timer->position = 0;
  return true;
}

void nth__timers_take_due(nth__timer_heap_t *heap, int64_t now_ns, nth__batch_t *batch) {
  heap->floor_ns = now_ns;
  for (int32_t room = nth__batch_room(batch); room > 0 && nth__timers_next(heap) <= now_ns; room--) {
    nth__timer_t *timer = &heap->timers[row_of(heap->entries[ROOT])];
    take_out(heap, ROOT);
    timer->position = 0;
    nth__batch_append(batch, &timer->entry, timer->token, NTH_EVENT_TIMER, 0);
  }
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static bool grow(nth__timer_heap_t *heap) {
  uint32_t capacity = heap->capacity == 0 ? NTH__FIRST_TIMERS : 2 * heap->capacity;
  if (capacity > most_timers) {
    return false;
  }
  nth__heap_entry_t *entries = nth__alloc((ROOT + (size_t)capacity) * sizeof *entries);
  nth__timer_t *timers = nth__alloc(capacity * sizeof *timers);
  if (entries == NULL || timers == NULL) {
    nth__free(entries);
    nth__free(timers);
    return false;
  }
  if (heap->capacity > 0) {
    memcpy(entries, heap->entries, (ROOT + (size_t)heap->armed) * sizeof *entries);
    memcpy(timers, heap->timers, heap->created * sizeof *timers);
  }
  nth__timers_free(heap);
  heap->entries = entries;
  heap->timers = timers;
  heap->capacity = capacity;
  return true;
}

void nth__timers_free(nth__timer_heap_t *heap) {
  nth__free(heap->entries);
  nth__free(heap->timers);
}

int64_t nth__timer_create(nth__timer_heap_t *heap, uint64_t token) {
  uint32_t row = heap->created;
  if (heap->free != FREE_LIST_END) {
    row = heap->free - 1;
    heap->free = heap->timers[row].position;
  } else {
    if (row == heap->capacity && !grow(heap)) {
      return -ENOMEM;
    }
    heap->created++;
  }
  nth__timer_t *timer = &heap->timers[row];
  timer->token = token;
  timer->position = 0;
  timer->used = true;
  return (int64_t)timer->generation << 32 | row;
}

nth__timer_t *nth__timer_find(nth__timer_heap_t *heap, int64_t handle) {
  uint32_t row = (uint32_t)handle;
  if (handle < 0 || row >= heap->created) {
    return NULL;
  }
  nth__timer_t *timer = &heap->timers[row];
  return timer->used && timer->generation == (uint64_t)handle >> 32 ? timer : NULL;
}

void nth__timer_release(nth__timer_heap_t *heap, nth__timer_t *timer) {
  assert(timer->position == 0);
  timer->used = false;
  timer->generation = (timer->generation + 1) % generations;
  timer->position = heap->free;
  heap->free = (uint32_t)(timer - heap->timers) + 1;
}
