/* SPDX-License-Identifier: MIT
 *
 * Looking at another thread: how much CPU time it has used, whether it waits and in what, and how long it had no CPU.
 */
#include <errno.h>

#include "native_threading.h"
#include "prim/prim.h"

struct nth_thread_probe {
  nth__probe_t probe;
};

int32_t nth_thread_probe_create(nth_thread_probe_t **probe) {
  nth_thread_probe_t *created = nth__alloc(sizeof *created);
  if (created == NULL) {
    return -ENOMEM;
  }
  int error = nth__probe_open(&created->probe);
  if (error != 0) {
    nth__free(created);
    return error;
  }
  *probe = created;
  return 0;
}

int64_t nth_thread_probe_cpu(const nth_thread_probe_t *probe) {
  return nth__probe_cpu(&probe->probe);
}

int32_t nth_thread_probe_state(const nth_thread_probe_t *probe) {
  return nth__probe_state(&probe->probe);
}

int64_t nth_thread_probe_run_delay(const nth_thread_probe_t *probe) {
  return nth__probe_run_delay(&probe->probe);
}

int64_t nth_thread_probe_waits(const nth_thread_probe_t *probe) {
  return nth__probe_waits(&probe->probe);
}

int32_t nth_thread_probe_wait_channel(const nth_thread_probe_t *probe, char *name, int32_t size) {
  return nth__probe_wait_channel(&probe->probe, name, (size_t)size);
}

void nth_thread_probe_destroy(nth_thread_probe_t *probe) {
  nth__probe_close(&probe->probe);
  nth__free(probe);
}
