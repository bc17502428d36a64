/* SPDX-License-Identifier: MIT
 *
 * Looks at the descriptors, and the result of a wake: events in the batch of the current poll.
 */
#include "event_loop_look.h"

#include "event_loop_renew.h"

void nth__report_wake(nth_event_loop_t *loop) {
  nth__batch_entry_t unused;
  nth__batch_append(&loop->batch, &unused, 0, NTH_EVENT_WAKE, 0);
}

/* Without interest a registration gets one report. The kernel knows that (linux_poller.c), but a renewed poller starts anew. */
static bool is_repeated(nth__registration_t *row) {
  bool again = row->interest == 0 && row->told;
  row->told = row->interest == 0;
  return again;
}

/* An event of a registration that has ended is dropped, and the poller renewed: else the kernel would report it again and
 * again. */
void nth__accept_ready(nth_event_loop_t *loop, const nth_event_t *ready, int32_t count) {
  bool unknown = false;
  for (int32_t i = 0; i < count; i++) {
    nth_event_t event = ready[i];
    nth__registration_t *row = nth__registration_find(&loop->registrations, (int64_t)event.token);
    if (row != NULL && !is_repeated(row)) {
      nth__batch_append(&loop->batch, &row->entry, row->token, NTH_EVENT_READY, event.flags);
    } else if (row == NULL) {
      unknown = true;
    }
  }
  if (unknown) {
    nth__renew_poller(loop);
  }
}

int32_t nth__look(nth_event_loop_t *loop, int64_t now_ns, int32_t most) {
  loop->last_look_ns = now_ns;
  loop->polls_since_look = 0;
  nth_event_t *ready = loop->batch.events + loop->batch.count;
  bool readable; /* WRITTEN is set then, and the next poll reads it */
  nth__count(&loop->waits);
  nth__count(&loop->looks);
  int32_t count = nth__poller_wait(&loop->poller, ready, most, 0, &readable);
  if (count > 0) {
    nth__accept_ready(loop, ready, count);
  }
  return count;
}
