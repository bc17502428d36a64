/* SPDX-License-Identifier: MIT
 *
 * What is used of signal.h.
 */
#ifndef STUB_SIGNAL_H
#define STUB_SIGNAL_H

#include <stdint.h>

typedef uint32_t sigset_t;

#define SIG_SETMASK 3
#define sigfillset(set) (*(set) = ~(sigset_t)0, 0)

int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);

#endif
