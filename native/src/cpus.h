/* SPDX-License-Identifier: MIT
 *
 * Whether there is a second CPU to spin for.
 */
#ifndef NTH__CPUS_H
#define NTH__CPUS_H

#include <stdbool.h>

/* Looks now: whether there are at least two usable CPUs, and no bandwidth limit of one CPU or less (T30). */
bool nth__look_whether_spinning_pays(void);

/* The same, but looks at most four times a second: affinity and limits change while a process runs (T49, T129). */
bool nth__spinning_pays(void);

#endif
