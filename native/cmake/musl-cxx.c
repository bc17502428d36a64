/* SPDX-License-Identifier: MIT
 *
 * What Debian's C++ library, and its OpenSSL, call of glibc and musl lacks. .NET for musl wants a C++ library, and Debian has none that was made
 * for musl. musl-cxx builds this.
 */
#define _GNU_SOURCE
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <syslog.h>
#include <time.h>

char __libc_single_threaded = 0;

struct {
  unsigned vendor, type, subtype, features[1];
} __cpu_model;

int __cpu_indicator_init(void) {
  return 0;
}

uint32_t arc4random(void) {
  uint32_t value = 0;
  return getrandom(&value, sizeof value, 0) == sizeof value ? value : 0;
}

size_t __strftime_l(char *text, size_t size, const char *format, const struct tm *time, locale_t locale) {
  return strftime_l(text, size, format, time, locale);
}

/* Destructors of thread-local objects. */
typedef struct ending {
  void (*call)(void *argument);
  void *argument;
  struct ending *next;
} ending_t;

static pthread_key_t endings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end(void *first) {
  for (ending_t *ending = first; ending != NULL;) {
    ending_t *next = ending->next;
    ending->call(ending->argument);
    free(ending);
    ending = next;
  }
}

static void make_key(void) {
  pthread_key_create(&endings, end);
}

int __cxa_thread_atexit_impl(void (*call)(void *argument), void *argument, void *library) {
  (void)library;
  pthread_once(&once, make_key);
  ending_t *ending = malloc(sizeof *ending);
  if (ending == NULL) {
    return -1;
  }
  *ending = (ending_t){call, argument, pthread_getspecific(endings)};
  return pthread_setspecific(endings, ending);
}

/* Where the table for exceptions is of the library that holds an address: glibc's struct dl_find_object. */
typedef struct found {
  unsigned long long flags;
  void *map_start, *map_end, *link_map, *eh_frame;
  unsigned long long reserved[7];
} found_t;

typedef struct search {
  uintptr_t address;
  found_t *found;
} search_t;

static int look(struct dl_phdr_info *library, size_t size, void *data) {
  (void)size;
  const search_t *search = data;
  uintptr_t first = UINTPTR_MAX, last = 0, table = 0;
  int holds = 0;
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
    uintptr_t from = library->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
    if (segment->p_type == PT_LOAD) {
      first = from < first ? from : first;
      last = to > last ? to : last;
      holds |= search->address >= from && search->address < to;
    } else if (segment->p_type == PT_GNU_EH_FRAME) {
      table = from;
    }
  }
  if (!holds || table == 0) {
    return 0;
  }
  *search->found = (found_t){.map_start = (void *)first, .map_end = (void *)last, .eh_frame = (void *)table};
  return 1;
}

int _dl_find_object(void *address, found_t *found) {
  search_t search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

/* OpenSSL's: functions that were compiled with checks of sizes, and coroutines, which nobody here uses. */
int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
  (void)flag;
  va_list list;
  va_start(list, format);
  int result = vfprintf(file, format, list);
  va_end(list);
  return result;
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list list) {
  (void)flag;
  return vfprintf(file, format, list);
}

int __sprintf_chk(char *text, int flag, size_t size, const char *format, ...) {
  (void)flag;
  va_list list;
  va_start(list, format);
  int result = vsnprintf(text, size, format, list);
  va_end(list);
  return result;
}

void __syslog_chk(int priority, int flag, const char *format, ...) {
  (void)flag;
  va_list list;
  va_start(list, format);
  vsyslog(priority, format, list);
  va_end(list);
}

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room) {
  return size > room ? abort(), NULL : memcpy(to, from, size);
}

void *__memset_chk(void *to, int value, size_t size, size_t room) {
  return size > room ? abort(), NULL : memset(to, value, size);
}

char *__strcat_chk(char *to, const char *from, size_t room) {
  return strlen(to) + strlen(from) >= room ? abort(), NULL : strcat(to, from);
}

long __fdelt_chk(long descriptor) {
  return descriptor / (8 * (long)sizeof(long));
}

int getcontext(void *context) {
  (void)context;
  return -1;
}

int setcontext(const void *context) {
  (void)context;
  return -1;
}

void makecontext(void *context, void (*run)(void), int count, ...) {
  (void)context;
  (void)run;
  (void)count;
  abort();
}
