/* SPDX-License-Identifier: MIT
 *
 * Signals, sent to a thread to end its system call. Linux only.
 */
#ifndef TESTS_INTERRUPTS_H
#define TESTS_INTERRUPTS_H

#include <pthread.h>

#include "harness.h"

/* From now on interrupts do nothing but interrupt. */
void handle_interrupts(void);

/* The thread has not been joined. */
void interrupt(const thread_t *thread);

/* How many there were. */
int64_t interrupts(void);

#endif
