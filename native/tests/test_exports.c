/* SPDX-License-Identifier: MIT
 *
 * The shared library as others load it.
 */
#include "harness.h"
#include "native_threading.h"

static void *load(void) {
  void *library = load_library(NTH_LIBRARY_PATH);
  CHECK(library != NULL);
  return library;
}

TEST(T93_the_library_tells_its_version) {
  void *library = load();
  int32_t (*version)(void) = NULL;
  *(void **)&version = find_symbol(library, "nth_abi_version");
  CHECK(version != NULL);
  CHECK_EQ(version(), NTH_ABI_VERSION);
}

TEST(T89_every_public_function_is_exported) {
  static const char *const names[] = {
    "nth_abi_version", "nth_usable_cpus", "nth_wake_latency_ns", "nth_thread_set_nice", "nth_thread_set_affinity", "nth_thread_nice_offset", "nth_thread_reset_inherited", "nth_process_barrier",
    "nth_linger_acquire", "nth_linger_release", "nth_lifo_semaphore_create", "nth_lifo_semaphore_wait",
    "nth_lifo_semaphore_try_wait", "nth_lifo_semaphore_release", "nth_lifo_semaphore_permits",
    "nth_lifo_semaphore_waiters", "nth_lifo_semaphore_destroy", "nth_worker_signal_create",
    "nth_worker_signal_word", "nth_worker_create", "nth_worker_destroy", "nth_worker_signal_request",
    "nth_worker_announce_idle", "nth_worker_withdraw", "nth_worker_park", "nth_worker_signal_wakes",
    "nth_worker_signal_destroy",
#if defined(__linux__)
    "nth_thread_probe_create", "nth_thread_probe_cpu", "nth_thread_probe_state",
    "nth_thread_probe_run_delay", "nth_thread_probe_waits", "nth_thread_probe_wait_channel", "nth_thread_probe_destroy",
    "nth_event_loop_create", "nth_event_loop_close", "nth_event_loop_destroy",
    "nth_event_loop_wake", "nth_event_loop_descriptor", "nth_event_loop_poll", "nth_event_loop_add",
    "nth_event_loop_modify", "nth_event_loop_remove", "nth_event_loop_timer_create", "nth_event_loop_timer_arm",
    "nth_event_loop_timer_cancel", "nth_event_loop_timer_destroy", "nth_event_loop_stats",
    "nth_io_accept", "nth_io_read", "nth_io_receive", "nth_io_writev", "nth_io_shutdown",
#endif
  };
  void *library = load();
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (find_symbol(library, names[i]) == NULL) {
      fail(__FILE__, __LINE__, "not exported: %s", names[i]);
    }
  }
}

TEST(internal_functions_and_failpoints_are_hidden) {
  static const char *const names[] = {
    "nth__park", "nth__unpark", "nth__alloc", "nth__push", "nth__grant", "nth__lock", "nth__spinning_pays",
    "nth__failpoint_hook",
  };
  void *library = load();
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (find_symbol(library, names[i]) != NULL) {
      fail(__FILE__, __LINE__, "visible: %s", names[i]);
    }
  }
}
