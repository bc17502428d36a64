/* SPDX-License-Identifier: MIT
 *
 * The tests of the event loop where it watches no descriptors.
 */
#include "event_loop_support.h"

const bool has_descriptors = false;

void watch_a_silent_pipe(fixture_t *fixture) {
  (void)fixture;
}

void check_shown_outside(const fixture_t *fixture, bool shown) {
  (void)fixture, (void)shown;
}

void close_duct(duct_t duct) {
  (void)duct;
}
