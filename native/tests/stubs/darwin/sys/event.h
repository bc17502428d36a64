/* SPDX-License-Identifier: MIT
 *
 * What is used of sys/event.h.
 */
#ifndef STUB_SYS_EVENT_H
#define STUB_SYS_EVENT_H

#include <stdint.h>
#include <time.h>

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)

#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_DISABLE 0x0008
#define EV_CLEAR 0x0020
#define EV_RECEIPT 0x0040
#define EV_ERROR 0x4000
#define EV_EOF 0x8000

struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  intptr_t data;
  void *udata;
};

#define EV_SET(event, a, b, c, d, e, f) \
  do {                                  \
    struct kevent *event_ = (event);    \
    event_->ident = (a);                \
    event_->filter = (b);               \
    event_->flags = (c);                \
    event_->fflags = (d);               \
    event_->data = (e);                 \
    event_->udata = (f);                \
  } while (0)

int kqueue(void);
int kevent(int queue, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
           const struct timespec *timeout);

#endif
