/* SPDX-License-Identifier: MIT
 *
 * What is used of os/os_sync_wait_on_address.h: on macOS since 14.4, which the compiler checks.
 */
#ifndef STUB_OS_OS_SYNC_WAIT_ON_ADDRESS_H
#define STUB_OS_OS_SYNC_WAIT_ON_ADDRESS_H

#include <os/clock.h>
#include <stddef.h>
#include <stdint.h>

#define STUB_SINCE __attribute__((availability(macos, introduced = 14.4)))

typedef enum os_sync_wait_on_address_flags : uint32_t {
  OS_SYNC_WAIT_ON_ADDRESS_NONE = 0
} os_sync_wait_on_address_flags_t;

typedef enum os_sync_wake_by_address_flags : uint32_t {
  OS_SYNC_WAKE_BY_ADDRESS_NONE = 0
} os_sync_wake_by_address_flags_t;

int os_sync_wait_on_address(void *address, uint64_t value, size_t size, os_sync_wait_on_address_flags_t flags) STUB_SINCE;
int os_sync_wait_on_address_with_timeout(void *address, uint64_t value, size_t size, os_sync_wait_on_address_flags_t flags,
                                         os_clockid_t clock, uint64_t timeout_ns) STUB_SINCE;
int os_sync_wake_by_address_any(void *address, size_t size, os_sync_wake_by_address_flags_t flags) STUB_SINCE;

#endif
