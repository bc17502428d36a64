/* SPDX-License-Identifier: MIT
 *
 * Registered descriptors: what each was given as its token, and which of its registrations is the current one.
 * Used by one thread.
 */
#ifndef NTH__REGISTRATIONS_H
#define NTH__REGISTRATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "event_batch.h"

typedef struct nth__registration {
  uint64_t token;
  nth__batch_entry_t entry; /* its event, where it was ready in the current batch */
  uint32_t generation;      /* 31 bits: the descriptor's registrations until now */
  uint8_t interest;         /* NTH_READY_ flags, as the kernel got them last */
  bool used;
  bool told; /* of a hang-up or an error, without interest: not again before the interest is set */
  bool gone; /* the descriptor no longer names the registered file; an error was delivered */
} nth__registration_t;

/* By descriptor, in pages: descriptors are small numbers, but a loop has only some of them. */
typedef struct nth__registrations {
  nth__registration_t **pages;
  uint32_t page_count;
  uint32_t used;
} nth__registrations_t;

void nth__registrations_free(nth__registrations_t *registrations);

/* The row of a descriptor >= 0; NULL without memory. It does not move. */
nth__registration_t *nth__registration_row(nth__registrations_t *registrations, int32_t descriptor);

/* The registration of a handle; NULL if that is not the current one. */
nth__registration_t *nth__registration_find(const nth__registrations_t *registrations, int64_t handle);

/* Whether the descriptor has a registration. */
bool nth__registration_exists(const nth__registrations_t *registrations, int32_t descriptor);

/* The handle of the current registration of a descriptor, which has one. */
static inline int64_t nth__registration_handle(const nth__registration_t *row, int32_t descriptor) {
  return (int64_t)row->generation << 32 | descriptor;
}

/* The first descriptor from that one on that has a registration, and its row; negative: none. */
int32_t nth__registration_next(
    const nth__registrations_t *registrations, int32_t descriptor, nth__registration_t **row);

/* The handle of the registration that comes next. It is also what the kernel returns with an event. */
int64_t nth__registration_next_handle(const nth__registrations_t *registrations, int32_t descriptor);

static inline int32_t nth__registration_descriptor(int64_t handle) {
  return (int32_t)(handle & INT32_MAX);
}

#endif
