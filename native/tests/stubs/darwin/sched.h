/* SPDX-License-Identifier: MIT
 *
 * What is used of sched.h.
 */
#ifndef STUB_SCHED_H
#define STUB_SCHED_H

int sched_yield(void);

#endif
