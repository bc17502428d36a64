/* SPDX-License-Identifier: MIT
 *
 * The calling thread's scheduling.
 */
#include "native_threading.h"
#include "prim/prim.h"

int32_t nth_thread_set_nice(int32_t nice) {
  return nth__set_nice(nice);
}

int32_t nth_thread_set_affinity(const int32_t *processors, int32_t count) {
  return nth__set_affinity(processors, count);
}

int32_t nth_thread_nice_offset(void) {
  return nth__nice_offset();
}

int32_t nth_thread_reset_inherited(void) {
  return nth__reset_inherited();
}
