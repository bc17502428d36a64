/* SPDX-License-Identifier: MIT
 *
 * The first use from a constructor of a module, while the loader may hold its locks.
 */
#include "harness.h"
#include "native_threading.h"

static int64_t at_load = -1;

__attribute__((constructor)) static void use_at_load(void) {
  at_load = nth_wake_latency_ns();
}

TEST(T41_a_first_use_while_loading_does_not_deadlock) {
  CHECK(at_load >= 0);
  CHECK_EQ(nth_wake_latency_ns(), at_load);
}
