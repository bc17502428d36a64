/* SPDX-License-Identifier: MIT
 *
 * The event loop: its life, and what is registered with it. Only the loop's thread comes here. The word by which other
 * threads wake it is in event_loop_wake.c, the poll in event_loop_poll.c.
 *
 * Nothing stale is delivered. A registration or timer knows the position of its event in the batch, so removing,
 * cancelling and re-arming strike out an event that the caller has not read yet (T76). An event that the kernel still
 * reports for a registration that has ended carries that registration's number. It is dropped, and the kernel made to
 * forget the registration (event_loop_renew.c).
 */
#include <assert.h>

#include "chaos.h"
#include "event_loop_state.h"
#include "event_loop_wake.h"
#include "prim/errors.h"

static const uint32_t interests = NTH_READY_READ | NTH_READY_WRITE | NTH_READY_EDGE;

/* Catches calls of foreign threads while the loop sleeps. */
static void assert_awake(nth_event_loop_t *loop) {
  (void)loop;
  assert((atomic_load_explicit(&loop->word, memory_order_relaxed) & NTH__LOOP_BLOCKED) == 0);
}

int32_t nth_event_loop_create(nth_event_loop_t **loop, const char **call) {
  const char *unasked;
  call = call != NULL ? call : &unasked;
  *loop = NULL;
  *call = "aligned_alloc";
  nth_event_loop_t *created = nth__alloc(sizeof *created);
  if (created == NULL) {
    return -ENOMEM;
  }
  int error = nth__poller_open(&created->poller, call);
  if (error != 0) {
    nth__free(created);
    return error;
  }
  created->linger_ns = -1;
  *loop = created;
  return 0;
}

void nth_event_loop_close(nth_event_loop_t *loop) {
  if (loop->closed) {
    return;
  }
  loop->closed = true;
  nth__chaos("nth_event_loop_close");
  nth__wake_close(loop);
  nth__chaos("nth_event_loop_close, empty");
  nth__poller_close(&loop->poller);
}

void nth_event_loop_destroy(nth_event_loop_t *loop) {
  nth_event_loop_close(loop);
  nth__timers_free(&loop->timers);
  nth__registrations_free(&loop->registrations);
  nth__free(loop);
}

int32_t nth_event_loop_descriptor(const nth_event_loop_t *loop) {
  return loop->closed ? -ESHUTDOWN : loop->poller.readiness;
}

void nth_event_loop_stats(const nth_event_loop_t *loop, nth_event_loop_stats_t *stats) {
  stats->waits = atomic_load_explicit(&loop->waits, memory_order_relaxed);
  stats->controls = atomic_load_explicit(&loop->controls, memory_order_relaxed);
  stats->writes = atomic_load_explicit(&loop->writes, memory_order_relaxed);
  stats->reads = atomic_load_explicit(&loop->reads, memory_order_relaxed);
  stats->lingers = atomic_load_explicit(&loop->lingers, memory_order_relaxed);
  stats->looks = atomic_load_explicit(&loop->looks, memory_order_relaxed);
}

/* ---- Descriptors --------------------------------------------------------------------------------------- */

int64_t nth_event_loop_add(nth_event_loop_t *loop, int32_t descriptor, uint32_t interest, uint64_t token) {
  assert_awake(loop);
  if (loop->closed) {
    return -ESHUTDOWN;
  }
  if (descriptor < 0) {
    return -EBADF;
  }
  if ((interest & ~interests) != 0) {
    return -EINVAL;
  }
  /* The kernel comes first: it knows which numbers are descriptors, so no table grows for one that is none. */
  int64_t handle = nth__registration_next_handle(&loop->registrations, descriptor);
  nth__count(&loop->controls);
  int error = nth__poller_add(&loop->poller, descriptor, interest, (uint64_t)handle);
  if (error == -EEXIST && !nth__registration_exists(&loop->registrations, descriptor)) {
    /* The kernel still has a registration that ended while the number was closed; now the number names that file again. */
    nth__count(&loop->controls);
    error = nth__poller_modify(&loop->poller, descriptor, interest, (uint64_t)handle);
  }
  if (error != 0) {
    return error;
  }
  nth__registration_t *row = nth__registration_row(&loop->registrations, descriptor);
  if (row == NULL) {
    nth__count(&loop->controls);
    nth__poller_remove(&loop->poller, descriptor);
    return -ENOMEM;
  }
  if (row->used) {
    /* The kernel had no registration under this number: the file of the old one has been closed. */
    nth__batch_strike_out(&loop->batch, &row->entry);
  } else {
    loop->registrations.used++;
  }
  *row = (nth__registration_t){
      .token = token, .generation = (uint32_t)(handle >> 32), .interest = (uint8_t)interest, .used = true};
  return handle;
}

int32_t nth_event_loop_modify(nth_event_loop_t *loop, int64_t handle, uint32_t interest) {
  assert_awake(loop);
  if (loop->closed) {
    return -ESHUTDOWN;
  }
  if ((interest & ~interests) != 0) {
    return -EINVAL;
  }
  nth__registration_t *row = nth__registration_find(&loop->registrations, handle);
  if (row == NULL) {
    return -ENOENT;
  }
  nth__count(&loop->controls);
  int error =
      nth__poller_modify(&loop->poller, nth__registration_descriptor(handle), interest, (uint64_t)handle);
  if (error == 0) {
    row->interest = (uint8_t)interest;
    row->told = false;
  }
  return error == -EBADF ? -ENOENT : error;
}

int32_t nth_event_loop_remove(nth_event_loop_t *loop, int64_t handle) {
  assert_awake(loop);
  if (loop->closed) {
    return -ESHUTDOWN;
  }
  nth__registration_t *row = nth__registration_find(&loop->registrations, handle);
  if (row == NULL) {
    return -ENOENT;
  }
  nth__batch_strike_out(&loop->batch, &row->entry);
  row->used = false;
  loop->registrations.used--;
  nth__count(&loop->controls);
  /* -EBADF and -ENOENT: the descriptor was closed, and the number may name another file by now. If the old file is open
   * under another number, the kernel keeps the registration: event_loop_renew.c. */
  nth__poller_remove(&loop->poller, nth__registration_descriptor(handle));
  return 0;
}

/* ---- Timers -------------------------------------------------------------------------------------------- */

int64_t nth_event_loop_timer_create(nth_event_loop_t *loop, uint64_t token) {
  assert_awake(loop);
  return loop->closed ? -ESHUTDOWN : nth__timer_create(&loop->timers, token);
}

int32_t nth_event_loop_timer_arm(nth_event_loop_t *loop, int64_t timer, int64_t deadline_ns) {
  assert_awake(loop);
  if (loop->closed) {
    return -ESHUTDOWN;
  }
  if (deadline_ns < 0) {
    return -EINVAL;
  }
  nth__timer_t *found = nth__timer_find(&loop->timers, timer);
  if (found == NULL) {
    return -ENOENT;
  }
  nth__batch_strike_out(&loop->batch, &found->entry);
  nth__timer_arm(&loop->timers, found, deadline_ns);
  return 0;
}

int32_t nth_event_loop_timer_cancel(nth_event_loop_t *loop, int64_t timer) {
  assert_awake(loop);
  if (loop->closed) {
    return -ESHUTDOWN;
  }
  nth__timer_t *found = nth__timer_find(&loop->timers, timer);
  if (found == NULL) {
    return -ENOENT;
  }
  bool armed = nth__timer_disarm(&loop->timers, found);
  return nth__batch_strike_out(&loop->batch, &found->entry) || armed;
}

int32_t nth_event_loop_timer_destroy(nth_event_loop_t *loop, int64_t timer) {
  int32_t result = nth_event_loop_timer_cancel(loop, timer);
  if (result < 0) {
    return result;
  }
  nth__timer_release(&loop->timers, nth__timer_find(&loop->timers, timer));
  return 0;
}
