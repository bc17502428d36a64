/* SPDX-License-Identifier: MIT
 *
 * The echo server on bare epoll: one thread, level-triggered, a read and a send a message and one epoll_wait for as
 * many connections as are ready. The floor of what a loop can cost.
 *
 * All connections read into one buffer. Only what a peer does not take is copied, and while it lies there the
 * connection waits to write and reads nothing: back-pressure. That change of interest is the only epoll_ctl after accept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "echo_server.h"
#include "measure.h"

enum { EVENTS = 1024 };

typedef struct connection {
  int descriptor;
  char *unsent; /* NULL: nothing */
  size_t begin, end;
} connection_t;

static int epoll, listener;
static int stop[2];
static char buffer[ECHO_BUFFER];
static echo_counts_t counts;

/* data.ptr of what is not a connection */
static char listener_tag, stop_tag[2];

static int control(int operation, int descriptor, uint32_t events, void *tag) {
  struct epoll_event event = {.events = events, .data.ptr = tag};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static void close_connection(connection_t *connection) {
  close(connection->descriptor);
  free(connection->unsent);
  free(connection);
}

/* Bytes taken, less than length when the peer takes no more now; -1: the connection has failed. */
static ssize_t send_some(int descriptor, const char *bytes, size_t length) {
  ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
  return sent >= 0 ? sent : errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static int hold_back(connection_t *connection, const char *bytes, size_t length) {
  connection->unsent = malloc(length);
  require(connection->unsent != NULL, "memory");
  memcpy(connection->unsent, bytes, length);
  connection->begin = 0;
  connection->end = length;
  return control(EPOLL_CTL_MOD, connection->descriptor, EPOLLOUT, connection);
}

static void flush(connection_t *connection) {
  size_t left = connection->end - connection->begin;
  ssize_t sent = send_some(connection->descriptor, connection->unsent + connection->begin, left);
  if (sent < 0) {
    close_connection(connection);
    return;
  }
  connection->begin += (size_t)sent;
  if (connection->begin == connection->end) {
    free(connection->unsent);
    connection->unsent = NULL;
    require(control(EPOLL_CTL_MOD, connection->descriptor, EPOLLIN, connection) == 0, "interest changed");
  }
}

static void echo(connection_t *connection) {
  ssize_t length = recv(connection->descriptor, buffer, sizeof buffer, 0);
  if (length <= 0) {
    if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
      close_connection(connection); /* the peer writes no more and has got everything, or has failed */
    }
    return;
  }
  counts.messages++;
  counts.bytes += length;
  ssize_t sent = send_some(connection->descriptor, buffer, (size_t)length);
  if (sent < 0) {
    close_connection(connection);
  } else if (sent < length) {
    require(hold_back(connection, buffer + sent, (size_t)(length - sent)) == 0, "interest changed");
  }
}

static void accept_all(void) {
  for (;;) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      require(errno == EAGAIN || errno == EINTR || errno == ECONNABORTED, "accepted");
      return;
    }
    connection_t *connection = calloc(1, sizeof *connection);
    require(connection != NULL, "memory");
    connection->descriptor = descriptor;
    require(control(EPOLL_CTL_ADD, descriptor, EPOLLIN, connection) == 0, "registered");
    counts.connections++;
  }
}

/* Returns 0 when the server is to stop. */
static int see_to(const struct epoll_event *event) {
  if (event->data.ptr == &listener_tag) {
    accept_all();
  } else if (event->data.ptr == &stop_tag[0] || event->data.ptr == &stop_tag[1]) {
    return !echo_must_stop(stop[event->data.ptr == &stop_tag[1]]);
  } else {
    connection_t *connection = event->data.ptr;
    if (connection->unsent != NULL) {
      flush(connection);
    } else {
      echo(connection);
    }
  }
  return 1;
}

static void run(void) {
  static struct epoll_event events[EVENTS];
  for (;;) {
    int count = epoll_wait(epoll, events, EVENTS, -1);
    require(count >= 0 || errno == EINTR, "waited");
    for (int i = 0; i < count; i++) {
      if (!see_to(&events[i])) {
        return;
      }
    }
  }
}

int main(void) {
  epoll = epoll_create1(EPOLL_CLOEXEC);
  require(epoll >= 0, "epoll created");
  listener = echo_listen();
  require(control(EPOLL_CTL_ADD, listener, EPOLLIN, &listener_tag) == 0, "registered");
  echo_stop_descriptors(stop);
  for (int i = 0; i < 2; i++) {
    require(stop[i] < 0 || control(EPOLL_CTL_ADD, stop[i], EPOLLIN, &stop_tag[i]) == 0, "registered");
  }
  echo_print_port(listener);
  run();
  echo_print_counts("epoll", &counts);
  return 0;
}
