/* SPDX-License-Identifier: MIT
 *
 * How long a thread had no CPU, and how often it waited (T145).
 */
#include <sched.h>

#include "harness.h"
#include "native_threading.h"
#include "prim/linux_thread_probe.h"
#include "watched_thread.h"

TEST(T145_delays_in_the_kernels_text) {
  CHECK_EQ(nth__delay_in_schedstat("1 2 3\n"), 2);
  CHECK_EQ(nth__delay_in_schedstat("75733894 229119132226 161\n"), 229119132226);
  CHECK_EQ(nth__delay_in_schedstat("5 0 1\n"), 0);
  CHECK_EQ(nth__delay_in_schedstat("0 0 0\n"), -ENOSYS); /* no account is kept */
  CHECK_EQ(nth__delay_in_schedstat(""), -EINVAL);
  CHECK_EQ(nth__delay_in_schedstat("1 2"), -EINVAL);
  CHECK_EQ(nth__delay_in_schedstat("1 99999999999999999999999 3"), -EINVAL);
}

TEST(T145_waits_in_the_kernels_text) {
  CHECK_EQ(nth__waits_in_status("Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t7\n"), 12);
  CHECK_EQ(nth__waits_in_status("Name:\tvoluntary_ctxt_switches:\t3\nvoluntary_ctxt_switches:\t0\n"), 0);
  CHECK_EQ(nth__waits_in_status("Name:\tx\nnonvoluntary_ctxt_switches:\t7\n"), -ENOSYS);
  CHECK_EQ(nth__waits_in_status(""), -ENOSYS);
  CHECK_EQ(nth__waits_in_status("Name:\tx\nvoluntary_ctxt_switches:"), -EINVAL);
  CHECK_EQ(nth__waits_in_status("Name:\tx\nvoluntary_ctxt_switches:\t\n"), -EINVAL);
}

/* The threads that are started from now on share the CPU that this one runs on. */
static void stay_on_this_cpu(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)sched_getcpu(), &set);
  CHECK_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

/* Where the kernel keeps no account nothing can be shown: the caller must do without. */
static bool has_account(void) {
  nth_thread_probe_t *probe;
  CHECK_EQ(nth_thread_probe_create(&probe), 0);
  int64_t delay = nth_thread_probe_run_delay(probe);
  nth_thread_probe_destroy(probe);
  CHECK(delay >= 0 || delay == -ENOSYS);
  return delay >= 0;
}

static void sleep_shortly(watched_t *watched) {
  while (!atomic_load(&watched->stop)) {
    sleep_ns(1 * MS);
  }
}

TEST(T145_of_three_that_share_a_cpu_each_has_none_for_most_of_the_time) {
  if (!has_account()) {
    return;
  }
  stay_on_this_cpu();
  watched_t watched[3];
  for (int i = 0; i < 3; i++) {
    start_watched(&watched[i], spin_until_stopped);
  }
  int64_t cpu = nth_thread_probe_cpu(watched[0].probe);
  int64_t delay = nth_thread_probe_run_delay(watched[0].probe);
  UNTIL(nth_thread_probe_run_delay(watched[0].probe) - delay > 200 * MS);
  cpu = nth_thread_probe_cpu(watched[0].probe) - cpu;
  delay = nth_thread_probe_run_delay(watched[0].probe) - delay;
  for (int i = 0; i < 3; i++) {
    end_watched(&watched[i]);
  }
  CHECK(cpu > 0);
  CHECK(delay > cpu);
}

TEST(T145_a_thread_that_sleeps_shortly_has_a_cpu_whenever_it_wants_one) {
  if (!has_account()) {
    return;
  }
  watched_t watched;
  start_watched(&watched, sleep_shortly);
  int64_t best = SEC; /* a busy machine delays it; one that counted its sleep would do so always */
  for (int look = 0; look < 20; look++) {
    UNTIL(nth_thread_probe_state(watched.probe) == NTH_THREAD_WAITING);
    int64_t delay = nth_thread_probe_run_delay(watched.probe);
    sleep_ns(20 * MS);
    UNTIL(nth_thread_probe_state(watched.probe) == NTH_THREAD_WAITING);
    delay = nth_thread_probe_run_delay(watched.probe) - delay;
    best = delay < best ? delay : best;
  }
  CHECK(best < 10 * MS);
  end_watched(&watched);
}

/* Some are not: a thread that loses its CPU as a sleep begins, for longer than the sleep, finds it over and does not wait. */
TEST(T145_each_sleep_is_a_wait) {
  nth_thread_probe_t *probe;
  CHECK_EQ(nth_thread_probe_create(&probe), 0);
  int64_t before = nth_thread_probe_waits(probe);
  CHECK(before >= 0);
  for (int i = 0; i < 50; i++) {
    sleep_ns(MS / 10);
  }
  int64_t waits = nth_thread_probe_waits(probe) - before;
  nth_thread_probe_destroy(probe);
  CHECK(waits >= 40);
}

/* Two threads on one CPU lose it to each other all the time, and neither gives it up. */
TEST(T145_who_loses_the_cpu_does_not_wait) {
  if (!has_account()) {
    return;
  }
  stay_on_this_cpu();
  watched_t watched[2];
  for (int i = 0; i < 2; i++) {
    start_watched(&watched[i], spin_until_stopped);
  }
  int64_t waits = nth_thread_probe_waits(watched[0].probe);
  int64_t delay = nth_thread_probe_run_delay(watched[0].probe);
  UNTIL(nth_thread_probe_run_delay(watched[0].probe) - delay > 100 * MS);
  waits = nth_thread_probe_waits(watched[0].probe) - waits;
  for (int i = 0; i < 2; i++) {
    end_watched(&watched[i]);
  }
  CHECK(waits <= 2);
}
