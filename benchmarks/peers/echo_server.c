/* SPDX-License-Identifier: MIT
 *
 * What the echo servers share.
 */
#include "echo_server.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

int echo_listen(void) {
  const int on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  require(listener >= 0, "socket created");
  require(setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY set");
  require(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "bound");
  require(listen(listener, 1024) == 0, "listening");
  return listener;
}

void echo_print_port(int listener) {
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  require(getsockname(listener, (struct sockaddr *)&address, &length) == 0, "port known");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
}

void echo_stop_descriptors(int descriptors[2]) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  require(sigprocmask(SIG_BLOCK, &term, NULL) == 0, "SIGTERM blocked");
  descriptors[0] = signalfd(-1, &term, SFD_NONBLOCK | SFD_CLOEXEC);
  require(descriptors[0] >= 0, "signalfd created");

  struct stat input;
  int can_wait = fstat(STDIN_FILENO, &input) == 0
                 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode) || isatty(STDIN_FILENO));
  descriptors[1] = can_wait ? STDIN_FILENO : -1;
}

int echo_must_stop(int descriptor) {
  char ignored[256];
  return descriptor != STDIN_FILENO || read(descriptor, ignored, sizeof ignored) == 0;
}

void echo_print_counts(const char *server, const echo_counts_t *counts) {
  printf("{\"server\":\"%s\",\"messages\":%" PRId64 ",\"bytes\":%" PRId64 ",\"connections\":%" PRId64
         ",\"cpu_ns\":%" PRId64 "}\n",
         server, counts->messages, counts->bytes, counts->connections, cpu_ns());
  fflush(stdout);
}
