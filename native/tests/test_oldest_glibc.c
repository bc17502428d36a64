/* SPDX-License-Identifier: MIT
 *
 * The oldest glibc that the library can be loaded with. docs/start/getting-started.md names it.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { OLDEST = 17 }; /* 2.17 */

typedef struct library {
  const char *names;
  const ElfW(Verneed) *needs;
  size_t count; /* of libraries that versions are asked of */
} library_t;

/* What the dynamic section says of the versions that others must have. */
static library_t read_library(void) {
  void *handle = load_library(NTH_LIBRARY_PATH);
  CHECK(handle != NULL);
  const struct link_map *map = NULL;
  CHECK_EQ(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
  library_t library = {0};
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_STRTAB) {
      library.names = (const char *)entry->d_un.d_ptr;
    } else if (entry->d_tag == DT_VERNEED) {
      library.needs = (const ElfW(Verneed) *)(map->l_addr + entry->d_un.d_ptr);
    } else if (entry->d_tag == DT_VERNEEDNUM) {
      library.count = (size_t)entry->d_un.d_val;
    }
  }
  CHECK(library.names != NULL && library.needs != NULL && library.count > 0);
  return library;
}

/* The number behind "GLIBC_2.", or -1 for a version of something else. */
static int minor_of(const char *version) {
  static const char prefix[] = "GLIBC_2.";
  return strncmp(version, prefix, sizeof prefix - 1) == 0 ? atoi(version + sizeof prefix - 1) : -1;
}

TEST(T96_no_version_is_asked_for_that_is_newer_than_the_oldest_glibc) {
  library_t library = read_library();
  int newest = -1;
  const char *need = (const char *)library.needs;
  for (size_t i = 0; i < library.count; i++) {
    const ElfW(Verneed) *of_one = (const void *)need;
    const char *version = need + of_one->vn_aux;
    for (int j = 0; j < of_one->vn_cnt; j++) {
      const ElfW(Vernaux) *aux = (const void *)version;
      int minor = minor_of(library.names + aux->vna_name);
      printf("%s %s\n", library.names + of_one->vn_file, library.names + aux->vna_name);
      newest = minor > newest ? minor : newest;
      version += aux->vna_next;
    }
    need += of_one->vn_next;
  }
  CHECK_EQ(newest, OLDEST);
}
