/* SPDX-License-Identifier: MIT
 *
 * The timer heap by itself, against a slow and simple model of it.
 */
#include <stdlib.h>

#include "harness.h"
#include "timer_heap.h"

enum { TIMERS = 300 };

static nth_event_t due[TIMERS];

static int32_t take(nth__timer_heap_t *heap, int64_t now, int32_t capacity) {
  nth__batch_t batch = {.events = due, .capacity = capacity, .number = 1};
  nth__timers_take_due(heap, now, &batch);
  return batch.count;
}

TEST(random_use_agrees_with_a_model) {
  nth__timer_heap_t heap = {0};
  int64_t handles[TIMERS], deadlines[TIMERS], armed_at[TIMERS], steps = 0, now = 0;
  for (int i = 0; i < TIMERS; i++) {
    handles[i] = nth__timer_create(&heap, (uint64_t)i);
    armed_at[i] = -1;
  }
  uint32_t random = 7;
  heap.next_sequence = UINT32_MAX - 5000; /* the numbers run out on the way */
  for (int64_t end = stress_end(); now_ns() < end || steps < 20000;) {
    uint32_t i = next_random(&random) % TIMERS, what = next_random(&random) % 8;
    nth__timer_t *timer = nth__timer_find(&heap, handles[i]);
    CHECK(timer != NULL);
    CHECK_EQ(timer->position != 0, armed_at[i] >= 0);
    steps++;
    if (what < 5) {
      int64_t deadline = now - 20 + next_random(&random) % 200;
      nth__timer_arm(&heap, timer, deadline);
      deadlines[i] = deadline > heap.floor_ns ? deadline : heap.floor_ns;
      armed_at[i] = steps;
    } else if (what < 7) {
      CHECK_EQ(nth__timer_disarm(&heap, timer), armed_at[i] >= 0);
      armed_at[i] = -1;
    } else {
      now += next_random(&random) % 30;
      int32_t count = take(&heap, now, 1 + (int32_t)(next_random(&random) % TIMERS));
      for (int32_t k = 0; k < count; k++) {
        int best = -1;
        for (int j = 0; j < TIMERS; j++) {
          if (armed_at[j] >= 0
              && (best < 0 || deadlines[j] < deadlines[best]
                  || (deadlines[j] == deadlines[best] && armed_at[j] < armed_at[best]))) {
            best = j;
          }
        }
        CHECK(best >= 0 && deadlines[best] <= now);
        CHECK_EQ(due[k].token, best);
        armed_at[best] = -1;
      }
      if (count == 0) {
        CHECK(nth__timers_next(&heap) > now);
      }
    }
  }
  nth__timers_free(&heap);
}

TEST(T75_order_survives_the_end_of_the_sequence_numbers) {
  nth__timer_heap_t heap = {0};
  heap.next_sequence = UINT32_MAX - TIMERS / 2;
  for (int i = 0; i < TIMERS; i++) {
    nth__timer_arm(&heap, nth__timer_find(&heap, nth__timer_create(&heap, (uint64_t)i)), 5);
  }
  CHECK(heap.next_sequence < UINT32_MAX / 2);
  CHECK_EQ(take(&heap, 4, TIMERS), 0);
  CHECK_EQ(take(&heap, 5, TIMERS), TIMERS);
  for (int i = 0; i < TIMERS; i++) {
    CHECK_EQ(due[i].token, i);
  }
  nth__timers_free(&heap);
}

TEST(a_million_armed_timers) {
  enum { MILLION = 1000000 };
  nth__timer_heap_t heap = {0};
  int64_t *handles = malloc(MILLION * sizeof *handles);
  CHECK(handles != NULL);
  uint32_t random = 3;
  for (int i = 0; i < MILLION; i++) {
    handles[i] = nth__timer_create(&heap, (uint64_t)i);
    CHECK(handles[i] >= 0);
    nth__timer_arm(&heap, nth__timer_find(&heap, handles[i]), next_random(&random));
  }
  int left = MILLION;
  for (int i = 0; i < MILLION; i += 3, left--) {
    CHECK(nth__timer_disarm(&heap, nth__timer_find(&heap, handles[i])));
  }
  CHECK_EQ(heap.armed, left);
  int64_t last = 0;
  while (left > 0) {
    int64_t next = nth__timers_next(&heap);
    CHECK(next >= last);
    last = next;
    left -= take(&heap, next, 1);
  }
  CHECK_EQ(nth__timers_next(&heap), INT64_MAX);
  free(handles);
  nth__timers_free(&heap);
}
