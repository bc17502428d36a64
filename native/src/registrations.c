/* SPDX-License-Identifier: MIT
 *
 * Registered descriptors.
 *
 * A handle is a descriptor and the number of its registration. An old registration can turn up again in two ways: the
 * kernel reports events for a file that was closed under this descriptor and is open under another, or the caller still
 * holds a handle after the descriptor was used again. The number makes both harmless.
 */
#include "registrations.h"

#include <string.h>

#include "prim/prim.h"
#include "tuning.h"

void nth__registrations_free(nth__registrations_t *registrations) {
  for (uint32_t i = 0; i < registrations->page_count; i++) {
    nth__free(registrations->pages[i]);
  }
  nth__free(registrations->pages);
}

static bool grow(nth__registrations_t *registrations, uint32_t page) {
  uint32_t count = registrations->page_count == 0 ? NTH__FIRST_REGISTRATION_PAGES : registrations->page_count;
  while (count <= page) {
    count *= 2;
  }
  nth__registration_t **pages = nth__alloc(count * sizeof *pages);
  if (pages == NULL) {
    return false;
  }
  if (registrations->page_count > 0) {
    memcpy(pages, registrations->pages, registrations->page_count * sizeof *pages);
  }
  nth__free(registrations->pages);
  registrations->pages = pages;
  registrations->page_count = count;
  return true;
}

nth__registration_t *nth__registration_row(nth__registrations_t *registrations, int32_t descriptor) {
  uint32_t page = (uint32_t)descriptor / NTH__REGISTRATION_PAGE;
  if (page >= registrations->page_count && !grow(registrations, page)) {
    return NULL;
  }
  if (registrations->pages[page] == NULL) {
    registrations->pages[page] = nth__alloc(NTH__REGISTRATION_PAGE * sizeof(nth__registration_t));
    if (registrations->pages[page] == NULL) {
      return NULL;
    }
  }
  return &registrations->pages[page][(uint32_t)descriptor % NTH__REGISTRATION_PAGE];
}

/* NULL where there is none yet. */
static nth__registration_t *existing_row(const nth__registrations_t *registrations, uint32_t descriptor) {
  uint32_t page = descriptor / NTH__REGISTRATION_PAGE;
  return page < registrations->page_count && registrations->pages[page] != NULL
             ? &registrations->pages[page][descriptor % NTH__REGISTRATION_PAGE]
             : NULL;
}

bool nth__registration_exists(const nth__registrations_t *registrations, int32_t descriptor) {
  const nth__registration_t *row = existing_row(registrations, (uint32_t)descriptor);
  return row != NULL && row->used;
}

int64_t nth__registration_next_handle(const nth__registrations_t *registrations, int32_t descriptor) {
  const nth__registration_t *row = existing_row(registrations, (uint32_t)descriptor);
  uint32_t generation = row == NULL ? 0 : row->generation;
  return (int64_t)((generation + 1) & INT32_MAX) << 32 | descriptor;
}

nth__registration_t *nth__registration_find(const nth__registrations_t *registrations, int64_t handle) {
  nth__registration_t *row = handle < 0 ? NULL : existing_row(registrations, (uint32_t)handle);
  return row != NULL && row->used && row->generation == (uint64_t)handle >> 32 ? row : NULL;
}

int32_t nth__registration_next(
    const nth__registrations_t *registrations, int32_t descriptor, nth__registration_t **row) {
  uint32_t next = (uint32_t)descriptor;
  while (next / NTH__REGISTRATION_PAGE < registrations->page_count) {
    *row = existing_row(registrations, next);
    if (*row == NULL) {
      next = (next / NTH__REGISTRATION_PAGE + 1) * NTH__REGISTRATION_PAGE;
    } else if ((*row)->used) {
      return (int32_t)next;
    } else {
      next++;
    }
  }
  return -1;
}
