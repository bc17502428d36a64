/* SPDX-License-Identifier: MIT
 *
 * Whether there is a second CPU to spin for.
 */
#ifndef NTH__CPUS_H
#define NTH__CPUS_H

#include <stdbool.h>

/* Looks now: whether there are at least two usable CPUs (T30). A bandwidth limit does not count, however low it is: the threads run at the same
 * time all the same, and a wake uses up more of the limit than a spin that pays. */
bool nth__look_whether_spinning_pays(void);

/* The same, but looks at most four times a second: the affinity may change while a process runs (T49). */
bool nth__spinning_pays(void);

#endif
