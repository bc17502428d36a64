/* SPDX-License-Identifier: MIT
 *
 * What the echo servers share: where they listen, when they stop, what they say. The protocol between a server and
 * the parent process: its first line on standard output is its port on 127.0.0.1; it stops when standard input ends, or
 * at SIGTERM; its last line is a JSON object.
 */
#ifndef PEERS_ECHO_SERVER_H
#define PEERS_ECHO_SERVER_H

#include <stdint.h>

enum { ECHO_BUFFER = 16384 };

typedef struct echo_counts {
  int64_t messages; /* reads that returned something: one a message where one of less than a buffer is in flight */
  int64_t bytes;
  int64_t connections;
} echo_counts_t;

int echo_listen(void); /* non-blocking; TCP_NODELAY, which accepted sockets inherit */

/* Two descriptors that become readable when the server may have to stop; the second is -1 where standard input is
 * none that can be waited for (a file, /dev/null). Blocks SIGTERM. */
void echo_stop_descriptors(int descriptors[2]);
int echo_must_stop(int descriptor); /* after it became readable */

void echo_print_port(int listener);
void echo_print_counts(const char *server, const echo_counts_t *counts);

#endif
