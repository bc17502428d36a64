/* SPDX-License-Identifier: MIT
 *
 * The barrier for a process whose system has an empty one (T54).
 */
#include "native_threading.h"
#include "prim/prim.h"

int32_t nth_process_barrier(void) {
  return nth__process_barrier();
}
