/* SPDX-License-Identifier: MIT
 *
 * Files that the kernel watches and nobody can name.
 *
 * epoll knows a registration by its number and its file. Where the number was closed, or given to another file, while a
 * duplicate keeps the file open, the registration lives on, and no call can remove it: the number does not name the file
 * any more. Each wait then returns at once with an event for a registration that has ended, and the loop would burn a
 * processor for nothing (T140). Nothing stale is pending in the kernel otherwise, for one thread removes and waits: so the
 * first such event is the proof.
 *
 * The way out is another epoll instance that is told of all that is registered, and put under the number of the old
 * one, which the kernel closes then. Only those registrations move whose number still names the file that was
 * registered; the old instance knows that. The others would watch a file that nobody asked for: they are told of an
 * error instead, once. Wakers know the wake descriptor alone, which stays.
 *
 * Where something cannot be had, the old instance stays and the next such event tries again.
 */
#include <errno.h>

#include "event_loop.h"

/* False: no room in the batch. */
static bool tell_of_error(nth_event_loop_t *loop, nth__registration_t *row) {
  if (row->place.number == loop->batch.number) {
    loop->batch.events[row->place.index].flags |= NTH_READY_ERROR;
  } else if (nth__batch_room(&loop->batch) > 0) {
    nth__batch_append(&loop->batch, &row->place, row->token, NTH_EVENT_READY, NTH_READY_ERROR);
  } else {
    return false;
  }
  row->gone = true;
  return true;
}

/* False: something cannot be had at present. */
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
  case -EPERM: /* another file's number by now, and one that cannot be polled */
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
