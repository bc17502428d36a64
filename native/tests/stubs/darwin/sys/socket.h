/* SPDX-License-Identifier: MIT
 *
 * What is used of sys/socket.h.
 */
#ifndef STUB_SYS_SOCKET_H
#define STUB_SYS_SOCKET_H

#include <sys/types.h>

#define SOL_SOCKET 0xffff
#define SO_LINGER 0x0080
#define SO_NOSIGPIPE 0x1022
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2

struct iovec;
struct sockaddr;

struct linger {
  int l_onoff;
  int l_linger;
};

struct msghdr {
  void *msg_name;
  socklen_t msg_namelen;
  struct iovec *msg_iov;
  int msg_iovlen;
  void *msg_control;
  socklen_t msg_controllen;
  int msg_flags;
};

int accept(int descriptor, struct sockaddr *address, socklen_t *length);
ssize_t recv(int descriptor, void *memory, size_t length, int flags);
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags);
int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length);
int shutdown(int descriptor, int how);

#endif
