/* SPDX-License-Identifier: MIT
 *
 * Memory, threads, descriptors and watches that cannot be had. Each call that needs some is made with its first, second,
 * third ... request refused: it says so, leaves nothing behind (the address sanitizer counts), and succeeds when asked again.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event_loop_support.h"
#include "faults.h"
#include "harness.h"
#include "native_threading.h"

static int open_files(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  CHECK(directory != NULL);
  while (readdir(directory) != NULL) {
    count++;
  }
  closedir(directory);
  return count;
}

/* ---- What needs something. Each makes it, uses it once, and gives it back; or returns why it could not be made. ---- */

static int64_t semaphore(void) {
  nth_lifo_semaphore_t *made;
  int32_t error = nth_lifo_semaphore_create(1, 0, &made);
  if (error == 0) {
    CHECK_EQ(nth_lifo_semaphore_wait(made, 0), 0);
    nth_lifo_semaphore_destroy(made);
  }
  return error;
}

static int64_t signal_with_worker(void) {
  nth_worker_signal_t *signal;
  int32_t error = nth_worker_signal_create(&signal);
  if (error != 0) {
    return error;
  }
  nth_worker_t *worker;
  error = nth_worker_create(signal, &worker);
  if (error == 0) {
    CHECK_EQ(nth_worker_announce_idle(worker, 0), 0);
    CHECK_EQ(nth_worker_withdraw(worker), NTH_PARK_TIMED_OUT);
    nth_worker_destroy(worker);
  }
  if (error != 0) {
    CHECK_EQ(nth_worker_create(signal, &worker), 0); /* one that could not be made does not count */
    nth_worker_destroy(worker);
  }
  nth_worker_signal_destroy(signal);
  return error;
}

static int64_t probe(void) {
  nth_thread_probe_t *made;
  int32_t error = nth_thread_probe_create(&made);
  if (error == 0) {
    CHECK(nth_thread_probe_cpu(made) >= 0);
    nth_thread_probe_destroy(made);
  }
  return error;
}

static int64_t loop(void) {
  nth_event_loop_t *made;
  int32_t error = nth_event_loop_create(&made, NULL);
  if (error == 0) {
    nth_event_t events[NTH_POLL_MIN_EVENTS];
    CHECK_EQ(nth_event_loop_wake(made, 0), 0);
    CHECK_EQ(nth_event_loop_poll(made, events, NTH_POLL_MIN_EVENTS, 0, 0), 1);
    nth_event_loop_destroy(made);
  } else {
    CHECK(made == NULL);
  }
  return error;
}

/* Two registrations, of which the second one's row lies in another page than the first one's. */
enum { FAR_DESCRIPTOR = 2000 };

static fixture_t *fixture;

/* Files that the kernel watches for the loop, the wake descriptor among them. */
static int watched_files(void) {
  char line[256];
  snprintf(line, sizeof line, "/proc/self/fdinfo/%d", nth_event_loop_descriptor(fixture->loop));
  FILE *file = fopen(line, "r");
  CHECK(file != NULL);
  int count = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    count += strncmp(line, "tfd:", 4) == 0;
  }
  fclose(file);
  return count;
}

static int64_t registrations(void) {
  duct_t near = open_pipe();
  int far = dup2(near.read, FAR_DESCRIPTOR);
  CHECK_EQ(far, FAR_DESCRIPTOR);
  int64_t result = nth_event_loop_add(fixture->loop, near.read, NTH_READY_READ, 1);
  if (result >= 0) {
    int64_t second = nth_event_loop_add(fixture->loop, far, NTH_READY_READ, 2);
    CHECK_EQ(watched_files(), second >= 0 ? 3 : 2); /* what was refused is not watched */
    put_byte(near.write);
    CHECK_EQ(poll_for(fixture, 0), second >= 0 ? 2 : 1);
    CHECK_EQ(nth_event_loop_remove(fixture->loop, result), 0);
    if (second >= 0) {
      CHECK_EQ(nth_event_loop_remove(fixture->loop, second), 0);
    }
    result = second;
  }
  CHECK_EQ(poll_for(fixture, 0), 0);
  close(far);
  close_duct(near);
  return result < 0 ? result : 0;
}

/* Enough timers for the heap to grow twice. Those that were there before stay armed, and fire in order. */
static int64_t timers(void) {
  enum { TIMERS = 100 };
  int64_t made[TIMERS];
  int64_t result = 0;
  int count = 0;
  for (; count < TIMERS; count++) {
    result = nth_event_loop_timer_create(fixture->loop, (uint64_t)count);
    if (result < 0) {
      break;
    }
    made[count] = result;
    CHECK_EQ(nth_event_loop_timer_arm(fixture->loop, result, 0), 0);
  }
  CHECK_EQ(poll_for(fixture, 0), count);
  for (int i = 0; i < count; i++) {
    CHECK_EQ(fixture->events[i].token, i);
    CHECK_EQ(nth_event_loop_timer_destroy(fixture->loop, made[i]), 0);
  }
  return result < 0 ? result : 0;
}

/* ---- Refusing each request in turn ---------------------------------------------------------------------- */

static void open_fixture(void) {
  fixture = open_loop();
}

static void close_fixture(void) {
  close_loop(fixture);
}

static void nothing(void) {
}

/* Returns how many requests the call makes. */
static int refuse_each(fault_t fault, int64_t error, int64_t (*call)(void), void (*before)(void), void (*after)(void)) {
  for (int n = 1;; n++) {
    int files = open_files();
    before();
    set_fault(fault, n, 0);
    int64_t result = call();
    int64_t refused = faults_made(fault);
    set_fault(fault, 0, 0);
    CHECK_EQ(result, refused == 0 ? 0 : error);
    CHECK_EQ(call(), 0); /* as if nothing had happened */
    after();
    CHECK_EQ(open_files(), files);
    if (refused == 0) {
      return n - 1;
    }
  }
}

TEST(each_allocation_that_fails_is_said_and_leaves_everything_as_it_was) {
  CHECK_EQ(refuse_each(NO_MEMORY, -ENOMEM, semaphore, nothing, nothing), 1);
  CHECK_EQ(refuse_each(NO_MEMORY, -ENOMEM, signal_with_worker, nothing, nothing), 2);
  CHECK_EQ(refuse_each(NO_MEMORY, -ENOMEM, probe, nothing, nothing), 1);
  CHECK_EQ(refuse_each(NO_MEMORY, -ENOMEM, loop, nothing, nothing), 1);
  CHECK_EQ(refuse_each(NO_MEMORY, -ENOMEM, registrations, open_fixture, close_fixture), 4);
  CHECK_EQ(refuse_each(NO_MEMORY, -ENOMEM, timers, open_fixture, close_fixture), 6);
}

TEST(each_descriptor_or_watch_that_is_refused_is_said_and_leaves_everything_as_it_was) {
  CHECK_EQ(refuse_each(NO_DESCRIPTOR, -EMFILE, loop, nothing, nothing), 2);
  CHECK_EQ(refuse_each(NO_WATCH, -ENOSPC, loop, nothing, nothing), 1);
  CHECK_EQ(refuse_each(NO_WATCH, -ENOSPC, registrations, open_fixture, close_fixture), 2);
}

TEST(what_was_made_needs_no_memory_to_wait_to_wake_and_to_fire) {
  open_fixture();
  duct_t duct = open_pipe();
  int64_t handle = nth_event_loop_add(fixture->loop, duct.read, NTH_READY_READ, 1);
  int64_t timer = timer_at(fixture, 2, 0);
  nth_lifo_semaphore_t *made;
  CHECK_EQ(nth_lifo_semaphore_create(0, 0, &made), 0);
  set_fault(NO_MEMORY, 1, 1);
  put_byte(duct.write);
  CHECK_EQ(nth_event_loop_wake(fixture->loop, 0), 0);
  CHECK_EQ(poll_for(fixture, 0), 3);
  CHECK_EQ(nth_event_loop_modify(fixture->loop, handle, 0), 0);
  CHECK_EQ(nth_event_loop_timer_arm(fixture->loop, timer, 1), 0);
  CHECK_EQ(poll_for(fixture, SEC), 1);
  CHECK_EQ(nth_lifo_semaphore_release(made, 2), 0);
  CHECK_EQ(nth_lifo_semaphore_wait(made, SEC), 0);
  CHECK_EQ(nth_lifo_semaphore_wait(made, SEC), 0);
  CHECK_EQ(nth_lifo_semaphore_wait(made, 1 * MS), -ETIMEDOUT);
  CHECK_EQ(fault_calls(NO_MEMORY), 0);
  set_fault(NO_MEMORY, 0, 0);
  nth_lifo_semaphore_destroy(made);
  close_fixture();
  close_duct(duct);
}

/* A file whose number was closed while a duplicate lives makes the loop move to another epoll instance (T140). */
TEST(a_loop_that_cannot_renew_its_poller_goes_on_and_renews_it_when_it_can) {
  static const fault_t faults[] = {NO_DESCRIPTOR, NO_WATCH, NO_WATCH};
  static const int64_t firsts[] = {1, 1, 2}; /* the instance itself, its wake descriptor, what is registered */
  for (int i = 0; i < 3; i++) {
    open_fixture();
    duct_t left = open_sockets(), other = open_sockets();
    CHECK(nth_event_loop_add(fixture->loop, left.read, NTH_READY_READ, 1) >= 0);
    int64_t handle = nth_event_loop_add(fixture->loop, other.read, NTH_READY_READ, 2);
    int duplicate = dup(left.read);
    CHECK_EQ(close(left.read), 0);
    duct_t again = open_pipe(); /* a registration of that number anew: the old one has ended */
    CHECK_EQ(again.read, left.read);
    CHECK(nth_event_loop_add(fixture->loop, again.read, NTH_READY_READ, 3) >= 0);
    put_byte(left.write);
    int files = open_files();
    set_fault(faults[i], firsts[i], 1);
    for (int poll = 0; poll < 5; poll++) {
      put_byte(other.write);
      CHECK_EQ(poll_one(fixture, SEC).token, 2); /* nothing stale, and the registered descriptor is reported */
      take_byte(other.read);
    }
    CHECK(faults_made(faults[i]) >= 5);
    CHECK_EQ(open_files(), files);
    set_fault(faults[i], 0, 0);
    put_byte(again.write);
    CHECK_EQ(poll_one(fixture, SEC).token, 3);
    take_byte(again.read);
    int64_t before = calls_of(fixture);
    CHECK_EQ(poll_for(fixture, 20 * MS), 0);
    CHECK(calls_of(fixture) - before <= 2); /* it sleeps again */
    CHECK_EQ(nth_event_loop_remove(fixture->loop, handle), 0);
    close_fixture();
    close(duplicate);
    CHECK_EQ(close(left.write), 0);
    close_duct(again);
    close_duct(other);
  }
}

TEST(without_a_thread_or_memory_the_wake_latency_is_a_guess_and_never_a_failure) {
  if (nth_usable_cpus() == 1) {
    return; /* it is 0 then, and nothing is measured */
  }
  set_fault(NO_THREAD, 1, 1);
  int64_t latency = nth_wake_latency_ns();
  CHECK(fault_calls(NO_THREAD) <= 1); /* with one CPU nothing is measured */
  set_fault(NO_THREAD, 0, 0);
  CHECK(latency == 0 || (latency >= 5 * US && latency <= 50 * US));
  CHECK_EQ(nth_wake_latency_ns(), latency);
}
