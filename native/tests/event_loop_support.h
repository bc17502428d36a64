/* SPDX-License-Identifier: MIT
 *
 * What the tests of the event loop share.
 */
#ifndef TESTS_EVENT_LOOP_SUPPORT_H
#define TESTS_EVENT_LOOP_SUPPORT_H

#include "harness.h"
#include "native_threading.h"

enum { EVENTS = 16384 };

/* Non-blocking on both ends. */
typedef struct duct {
  int32_t read, write;
} duct_t;

/* A loop, and the array it is polled with. */
typedef struct fixture {
  nth_event_loop_t *loop;
  bool watches;
  duct_t silent;
  nth_event_t events[EVENTS];
} fixture_t;

fixture_t *open_loop(void);
void close_loop(fixture_t *fixture);

/* Polls; fails on an error. */
int32_t poll_for(fixture_t *fixture, int64_t timeout_ns);
int32_t poll_some(fixture_t *fixture, int32_t capacity, int64_t timeout_ns);

/* Polls, and demands exactly one event. */
nth_event_t poll_one(fixture_t *fixture, int64_t timeout_ns);

nth_event_loop_stats_t stats_of(const fixture_t *fixture);

/* System calls so far. */
int64_t calls_of(const fixture_t *fixture);

int64_t timer_at(fixture_t *fixture, uint64_t token, int64_t deadline_ns);

/* ---- Descriptors: ducts.c ------------------------------------------------------------------------------ */

/* Registers a pipe that stays silent until the loop is closed. */
void watch_a_silent_pipe(fixture_t *fixture);

/* Whether an outer loop sees that the loop has something to do. */
void check_shown_outside(const fixture_t *fixture, bool shown);

duct_t open_pipe(void);
duct_t open_sockets(void);
void close_duct(duct_t duct);
void put_byte(int32_t descriptor);
void take_byte(int32_t descriptor);

#endif
