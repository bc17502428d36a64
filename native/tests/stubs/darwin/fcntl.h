/* SPDX-License-Identifier: MIT
 *
 * What is used of fcntl.h.
 */
#ifndef STUB_FCNTL_H
#define STUB_FCNTL_H

#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define FD_CLOEXEC 1
#define O_NONBLOCK 0x0004

int fcntl(int descriptor, int command, ...);

#endif
