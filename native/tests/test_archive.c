/* SPDX-License-Identifier: MIT
 *
 * The archive, linked into a program: what a program that is compiled ahead has inside.
 */
#include "harness.h"
#include "native_threading.h"

/* Names of functions inside the library. This program has functions of these names as well: were those of the archive seen by the linker, it
 * would have two of each and give up. */
#define OF_THE_PROGRAM(name) \
  void name(void);           \
  void name(void) {          \
    fail(__FILE__, __LINE__, "the library called %s of the program", #name); \
  }

OF_THE_PROGRAM(nth__alloc)
OF_THE_PROGRAM(nth__grant)
OF_THE_PROGRAM(nth__lock)
OF_THE_PROGRAM(nth__now_ns)
OF_THE_PROGRAM(nth__park)
OF_THE_PROGRAM(nth__push)
OF_THE_PROGRAM(nth__unpark)

static void wait_for_permit(void *semaphore) {
  CHECK_EQ(nth_lifo_semaphore_wait(semaphore, ENDLESS), 0);
}

TEST(T93_the_program_has_this_version_inside) {
  CHECK_EQ(nth_abi_version(), NTH_ABI_VERSION);
}

TEST(T96_the_library_calls_its_own_functions_whatever_the_program_has) {
  nth_lifo_semaphore_t *semaphore = NULL;
  CHECK_EQ(nth_lifo_semaphore_create(0, 0, &semaphore), 0);
  thread_t waiter;
  start_thread(&waiter, wait_for_permit, semaphore);
  UNTIL(nth_lifo_semaphore_waiters(semaphore) == 1);
  CHECK_EQ(nth_lifo_semaphore_release(semaphore, 1), 0);
  join_thread(&waiter);
  nth_lifo_semaphore_destroy(semaphore);
}

TEST(an_event_loop_tells_of_a_wake) {
  nth_event_loop_t *loop = NULL;
  CHECK_EQ(nth_event_loop_create(&loop, NULL), 0);
  CHECK(nth_event_loop_wake(loop, 0) >= 0);
  nth_event_t events[NTH_POLL_MIN_EVENTS];
  CHECK_EQ(nth_event_loop_poll(loop, events, NTH_POLL_MIN_EVENTS, ENDLESS, 0), 1);
  CHECK_EQ(events[0].kind, NTH_EVENT_WAKE);
  nth_event_loop_destroy(loop);
}
