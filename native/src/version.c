/* SPDX-License-Identifier: MIT
 *
 * The version handshake (T93).
 */
#include "native_threading.h"

int32_t nth_abi_version(void) {
  return NTH_ABI_VERSION;
}
