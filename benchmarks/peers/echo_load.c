/* SPDX-License-Identifier: MIT
 *
 * The load of the echo table, in a process of its own: connections to 127.0.0.1 with one message in flight on each.
 * Every byte that returns is compared. Prints one JSON line about the window that is measured.
 *
 * Usage: echo_load -p port [-c connections, 32] [-s bytes a message, 64] [-w ms of warm-up, 100]
 *                  [-t ms of the window, 300 | -m messages of the window] [-P pid of the server] [-g]
 *
 *   -P  also reads the server's CPU clock at both ends of the window
 *   -g  when warm, lets the messages in flight return, prints "ready", and continues after a line on standard input
 *
 * messages are those that returned within the window; total counts all, from the first to the last. The latency of a
 * message runs from the moment after the previous answer was seen, so it includes sending.
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "histogram.h"
#include "measure.h"

enum { EVENTS = 1024, LARGEST_MESSAGE = 16384, STALL_MS = 10000 };

typedef struct connection {
  int descriptor;
  uint64_t seed;     /* of the message in flight */
  size_t received;   /* of its answer */
  int64_t sent_at;
  int in_flight;
} connection_t;

typedef struct options {
  int port, connections, warm_up_ms, window_ms;
  size_t size;
  int64_t messages; /* 0: the window is a time */
  pid_t server;     /* 0: not known */
  int gate;
} options_t;

typedef struct reading {
  int64_t wall, cpu, server_cpu;
} reading_t;

static options_t options = {.connections = 32, .warm_up_ms = 100, .window_ms = 300, .size = 64};
static int epoll, in_flight;
static connection_t *connections;
static int64_t returned; /* messages, from the first */
static histogram_t latencies;

/* ---- Messages ------------------------------------------------------------------------------------------ */

/* No two messages of a run are alike, so that an answer that belongs to another one is seen. */
static void fill(char *bytes, uint64_t seed) {
  uint64_t word = seed * UINT64_C(0x9E3779B97F4A7C15);
  for (size_t at = 0; at < options.size; at += sizeof word, word += UINT64_C(0xD1B54A32D192ED03)) {
    size_t left = options.size - at;
    memcpy(bytes + at, &word, left < sizeof word ? left : sizeof word);
  }
}

static void send_message(connection_t *connection, int64_t now) {
  char bytes[LARGEST_MESSAGE];
  connection->seed += UINT64_C(1) << 20; /* the low bits are the connection's number */
  connection->received = 0;
  connection->sent_at = now;
  connection->in_flight = 1;
  in_flight++;
  fill(bytes, connection->seed);
  require(send(connection->descriptor, bytes, options.size, MSG_NOSIGNAL) == (ssize_t)options.size, "message sent");
}

/* Returns 1 when an answer is complete. */
static int receive(connection_t *connection) {
  char bytes[LARGEST_MESSAGE + 1], expected[LARGEST_MESSAGE];
  size_t left = options.size - connection->received;
  ssize_t length = recv(connection->descriptor, bytes, left + 1, 0);
  if (length < 0) {
    require(errno == EAGAIN || errno == EINTR, "answer received");
    return 0;
  }
  require(length > 0, "connection kept open by the server");
  require((size_t)length <= left, "no more returned than was sent");
  fill(expected, connection->seed);
  require(memcmp(bytes, expected + connection->received, (size_t)length) == 0, "the bytes sent returned");
  connection->received += (size_t)length;
  return connection->received == options.size;
}

/* ---- The run ------------------------------------------------------------------------------------------- */


/* Keeps every connection busy until the time or the number of messages is reached. record: note the latencies. */
static void run_until(int64_t end_ns, int64_t end_returned, int record) {
  static struct epoll_event events[EVENTS];
  int64_t now = wall_ns();
  for (int i = 0; i < options.connections; i++) {
    if (!connections[i].in_flight) {
      send_message(&connections[i], now);
    }
  }
  while (now < end_ns && returned < end_returned) {
    int count = epoll_wait(epoll, events, EVENTS, STALL_MS);
    require(count > 0 || (count < 0 && errno == EINTR), "answers within 10 s");
    for (int i = 0; i < count; i++) {
      connection_t *connection = events[i].data.ptr;
      if (!receive(connection)) {
        continue;
      }
      now = wall_ns();
      returned++;
      in_flight--;
      connection->in_flight = 0;
      if (record) {
        histogram_add(&latencies, now - connection->sent_at);
      }
      if (returned + in_flight < end_returned) { /* with a number given, exactly that many are sent */
        send_message(connection, now);
      }
    }
  }
}

static void drain(void) {
  static struct epoll_event events[EVENTS];
  while (in_flight > 0) {
    int count = epoll_wait(epoll, events, EVENTS, STALL_MS);
    require(count > 0 || (count < 0 && errno == EINTR), "answers within 10 s");
    for (int i = 0; i < count; i++) {
      connection_t *connection = events[i].data.ptr;
      if (receive(connection)) {
        connection->in_flight = 0;
        in_flight--;
        returned++;
      }
    }
  }
}

static reading_t read_clocks(void) {
  reading_t reading = {.wall = wall_ns(), .cpu = cpu_ns()};
  clockid_t clock;
  struct timespec time;
  if (options.server != 0) {
    require(clock_getcpuclockid(options.server, &clock) == 0 && clock_gettime(clock, &time) == 0, "server's CPU clock read");
    reading.server_cpu = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  }
  return reading;
}

/* ---- Set-up -------------------------------------------------------------------------------------------- */

static void connect_all(void) {
  const int on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  address.sin_port = htons((uint16_t)options.port);
  connections = calloc((size_t)options.connections, sizeof *connections);
  require(connections != NULL, "memory");
  for (int i = 0; i < options.connections; i++) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(descriptor >= 0, "socket created");
    require(setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY set");
    require(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0, "connected");
    /* Reads never block: level-triggered readiness is asked first, and an answer is read once. */
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[i]};
    require(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "registered");
    connections[i] = (connection_t){.descriptor = descriptor, .seed = (uint64_t)i};
  }
}

static void read_options(int count, char **arguments) {
  for (int option; (option = getopt(count, arguments, "p:c:s:w:t:m:P:g")) != -1;) {
    switch (option) {
      case 'p': options.port = atoi(optarg); break;
      case 'c': options.connections = atoi(optarg); break;
      case 's': options.size = (size_t)atol(optarg); break;
      case 'w': options.warm_up_ms = atoi(optarg); break;
      case 't': options.window_ms = atoi(optarg); break;
      case 'm': options.messages = atoll(optarg); break;
      case 'P': options.server = (pid_t)atoi(optarg); break;
      case 'g': options.gate = 1; break;
      default: exit(2);
    }
  }
  require(options.port > 0, "a port given: -p");
  require(options.connections > 0 && options.connections < 1 << 20, "a possible number of connections");
  require(options.size > 0 && options.size <= LARGEST_MESSAGE, "messages of 1 to 16384 bytes");
}

static void allow_descriptors(void) {
  struct rlimit limit;
  require(getrlimit(RLIMIT_NOFILE, &limit) == 0, "limit of open files read");
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit); /* where it matters, socket() fails and says so */
}

static void wait_at_gate(void) {
  char line[16];
  drain();
  puts("ready");
  fflush(stdout);
  require(fgets(line, sizeof line, stdin) != NULL, "a line, to continue");
}

int main(int count, char **arguments) {
  read_options(count, arguments);
  allow_descriptors();
  epoll = epoll_create1(EPOLL_CLOEXEC);
  require(epoll >= 0, "epoll created");
  connect_all();

  run_until(wall_ns() + options.warm_up_ms * INT64_C(1000000), INT64_MAX, 0);
  if (options.gate) {
    wait_at_gate();
  }
  reading_t begin = read_clocks();
  int64_t before = returned;
  run_until(options.messages > 0 ? INT64_MAX : begin.wall + options.window_ms * INT64_C(1000000),
            options.messages > 0 ? before + options.messages : INT64_MAX, 1);
  reading_t end = read_clocks();
  int64_t messages = returned - before;
  drain();

  printf("{\"messages\":%" PRId64 ",\"seconds\":%.6f,\"cpu_ns\":%" PRId64 ",\"server_cpu_ns\":%" PRId64
         ",\"p50_ns\":%" PRId64 ",\"p99_ns\":%" PRId64 ",\"total\":%" PRId64 ",\"total_bytes\":%" PRId64 "}\n",
         messages, (double)(end.wall - begin.wall) / 1e9, end.cpu - begin.cpu, end.server_cpu - begin.server_cpu,
         histogram_quantile(&latencies, 0.5), histogram_quantile(&latencies, 0.99), returned,
         returned * (int64_t)options.size);
  return 0;
}
