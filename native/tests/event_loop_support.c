/* SPDX-License-Identifier: MIT
 *
 * What the tests of the event loop share.
 */
#include "event_loop_support.h"

#include <stdlib.h>

fixture_t *open_loop(void) {
  fixture_t *fixture = calloc(1, sizeof *fixture);
  CHECK(fixture != NULL);
  CHECK_EQ(nth_event_loop_create(&fixture->loop, NULL), 0);
  return fixture;
}

void close_loop(fixture_t *fixture) {
  nth_event_loop_destroy(fixture->loop);
  if (fixture->watches) {
    close_duct(fixture->silent);
  }
  free(fixture);
}

int32_t poll_some(fixture_t *fixture, int32_t capacity, int64_t timeout_ns) {
  int32_t count = nth_event_loop_poll(fixture->loop, fixture->events, capacity, timeout_ns, 0);
  CHECK(count >= 0 && count <= capacity);
  return count;
}

int32_t poll_for(fixture_t *fixture, int64_t timeout_ns) {
  return poll_some(fixture, EVENTS, timeout_ns);
}

nth_event_t poll_one(fixture_t *fixture, int64_t timeout_ns) {
  CHECK_EQ(poll_for(fixture, timeout_ns), 1);
  return fixture->events[0];
}

nth_event_loop_stats_t stats_of(const fixture_t *fixture) {
  nth_event_loop_stats_t stats;
  nth_event_loop_stats(fixture->loop, &stats);
  return stats;
}

int64_t calls_of(const fixture_t *fixture) {
  nth_event_loop_stats_t stats = stats_of(fixture);
  return stats.waits + stats.controls + stats.writes + stats.reads;
}

int64_t timer_at(fixture_t *fixture, uint64_t token, int64_t deadline_ns) {
  int64_t timer = nth_event_loop_timer_create(fixture->loop, token);
  CHECK(timer >= 0);
  CHECK_EQ(nth_event_loop_timer_arm(fixture->loop, timer, deadline_ns), 0);
  return timer;
}
