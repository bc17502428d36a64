/* SPDX-License-Identifier: MIT
 *
 * Registrations that only the kernel has, and that no call can remove.
 *
 * epoll knows a registration by number and file. If the number was closed, or given to another file, while a duplicate
 * keeps the file open, the registration stays. No call can remove it, because the number no longer names the file. Each
 * wait then returns at once with an event for a registration that has ended, and the loop burns a processor for nothing
 * (T140). Such an event has no other cause, because one thread removes and waits. So the first one is the proof.
 *
 * The remedy is a new epoll instance. It gets all registrations, and then the number of the old instance, which the
 * kernel thereby closes. A registration moves only if its number still names the file that was registered, which the
 * old instance knows. Any other would now be for a file that was not registered: it gets an error event instead, once.
 * Wakers know only the wake descriptor, which stays.
 *
 * If a call fails for lack of resources, the old instance stays, and the next such event tries again.
 */
#include "event_loop_renew.h"

#include "prim/errors.h"


/* False: no room in the batch. */
static bool tell_of_error(nth_event_loop_t *loop, nth__registration_t *row) {
  if (row->entry.number == loop->batch.number) {
    loop->batch.events[row->entry.index].flags |= NTH_READY_ERROR;
  } else if (nth__batch_room(&loop->batch) > 0) {
    nth__batch_append(&loop->batch, &row->entry, row->token, NTH_EVENT_READY, NTH_READY_ERROR);
  } else {
    return false;
  }
  row->gone = true;
  return true;
}

/* False: a resource is lacking at present. */
static bool move(nth_event_loop_t *loop, nth__poller_t *fresh, int32_t descriptor, nth__registration_t *row) {
  uint64_t token = (uint64_t)nth__registration_handle(row, descriptor);
  nth__count(&loop->controls);
  int error = nth__poller_modify(&loop->poller, descriptor, row->interest, token);
  if (error == 0) {
    nth__count(&loop->controls);
    error = nth__poller_add(fresh, descriptor, row->interest, token);
  }
  switch (error) {
  case 0:
    return true;
  case -EBADF:
  case -ENOENT:
  case -EPERM: /* the number names another file now, which cannot be polled */
    return tell_of_error(loop, row);
  default:
    return false;
  }
}

void nth__renew_poller(nth_event_loop_t *loop) {
  nth__poller_t fresh;
  if (nth__poller_open_another(&loop->poller, &fresh) != 0) {
    return;
  }
  nth__registration_t *row;
  int32_t descriptor = nth__registration_next(&loop->registrations, 0, &row);
  for (; descriptor >= 0; descriptor = nth__registration_next(&loop->registrations, descriptor + 1, &row)) {
    if (!row->gone && !move(loop, &fresh, descriptor, row)) {
      nth__poller_give_up(&fresh);
      return;
    }
  }
  nth__poller_replace(&loop->poller, &fresh);
}
