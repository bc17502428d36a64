/* SPDX-License-Identifier: MIT
 *
 * The doors behind faults.h: the C library's functions under which the library meets the operating system. Compiled
 * twice: for C tests, where the linker has the library's calls come here (--wrap), and as a library to be preloaded.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#undef _FORTIFY_SOURCE /* its open and read are others */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"

#if !defined(SYS_epoll_pwait2)
#define SYS_epoll_pwait2 441 /* the same on every architecture */
#endif

enum { FUTEX_WAIT_BITSET_PRIVATE_ = 9 | 128, FUTEX_WAKE_PRIVATE_ = 1 | 128 };

#if defined(PRELOADED)
#include <dlfcn.h>
#include <link.h>

/* A .NET process makes these calls all the time, in signal handlers too; only those of the library may fail. Relaxed: set
 * before the first fault. */
static _Atomic uintptr_t library_begin, library_end;

static int note_library(struct dl_phdr_info *module, size_t size, void *unused) {
  (void)size;
  (void)unused;
  if (strstr(module->dlpi_name, "libnativethreading") == NULL) {
    return 0;
  }
  for (int i = 0; i < module->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &module->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
      uintptr_t begin = module->dlpi_addr + part->p_vaddr;
      atomic_store_explicit(&library_begin, begin, memory_order_relaxed);
      atomic_store_explicit(&library_end, begin + part->p_memsz, memory_order_relaxed);
    }
  }
  return 1;
}

/* Whether the library has been loaded; from then on its calls are known. */
int32_t find_library(void);
int32_t find_library(void) {
  return dl_iterate_phdr(note_library, NULL);
}

static bool is_the_librarys(const void *caller) {
  uintptr_t place = (uintptr_t)caller;
  return place >= atomic_load_explicit(&library_begin, memory_order_relaxed)
         && place < atomic_load_explicit(&library_end, memory_order_relaxed);
}

#define DOOR(name) name
#define FAULTY(fault) (is_the_librarys(__builtin_return_address(0)) && is_faulty(fault))
#define THE_REAL(result, name, parameters)                        \
  static result (*the_real) parameters;                           \
  if (the_real == NULL) {                                         \
    *(void **)&the_real = dlsym(RTLD_NEXT, #name);                \
  }
#else
#define DOOR(name) __wrap_##name
#define FAULTY(fault) is_faulty(fault)
#define THE_REAL(result, name, parameters)                        \
  extern result __real_##name parameters;                         \
  result (*the_real) parameters = __real_##name;
#endif

#define REFUSE(error) \
  do {                \
    errno = (error);  \
    return -1;        \
  } while (0)

static bool is_below_proc(const char *path) {
  return strncmp(path, "/proc/", 6) == 0;
}

void *DOOR(aligned_alloc)(size_t alignment, size_t size);
void *DOOR(aligned_alloc)(size_t alignment, size_t size) {
  THE_REAL(void *, aligned_alloc, (size_t, size_t))
  return FAULTY(NO_MEMORY) ? NULL : the_real(alignment, size);
}

int DOOR(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int DOOR(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  THE_REAL(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
  return FAULTY(NO_THREAD) ? EAGAIN : the_real(thread, attributes, run, argument);
}

int DOOR(epoll_create1)(int flags);
int DOOR(epoll_create1)(int flags) {
  THE_REAL(int, epoll_create1, (int))
  if (FAULTY(NO_DESCRIPTOR)) {
    REFUSE(EMFILE);
  }
  return the_real(flags);
}

int DOOR(eventfd)(unsigned int count, int flags);
int DOOR(eventfd)(unsigned int count, int flags) {
  THE_REAL(int, eventfd, (unsigned int, int))
  if (FAULTY(NO_DESCRIPTOR)) {
    REFUSE(EMFILE);
  }
  return the_real(count, flags);
}

int DOOR(open)(const char *path, int flags, ...);
int DOOR(open)(const char *path, int flags, ...) {
  THE_REAL(int, open, (const char *, int, ...))
  if (is_below_proc(path) && FAULTY(NO_PROC)) {
    REFUSE(ENOENT);
  }
  if (FAULTY(NO_DESCRIPTOR)) {
    REFUSE(EMFILE);
  }
  va_list more;
  va_start(more, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return the_real(path, flags, mode);
}

FILE *DOOR(fopen)(const char *path, const char *mode);
FILE *DOOR(fopen)(const char *path, const char *mode) {
  THE_REAL(FILE *, fopen, (const char *, const char *))
  if (is_below_proc(path) && FAULTY(NO_PROC)) {
    errno = ENOENT;
    return NULL;
  }
  return the_real(path, mode);
}

ssize_t DOOR(readlink)(const char *path, char *text, size_t size);
ssize_t DOOR(readlink)(const char *path, char *text, size_t size) {
  THE_REAL(ssize_t, readlink, (const char *, char *, size_t))
  if (is_below_proc(path) && FAULTY(NO_PROC)) {
    REFUSE(ENOENT);
  }
  return the_real(path, text, size);
}

int DOOR(epoll_ctl)(int epoll, int operation, int descriptor, struct epoll_event *event);
int DOOR(epoll_ctl)(int epoll, int operation, int descriptor, struct epoll_event *event) {
  THE_REAL(int, epoll_ctl, (int, int, int, struct epoll_event *))
  if (operation != EPOLL_CTL_DEL && FAULTY(NO_WATCH)) {
    REFUSE(ENOSPC);
  }
  return the_real(epoll, operation, descriptor, event);
}

int DOOR(epoll_wait)(int epoll, struct epoll_event *events, int most, int timeout_ms);
int DOOR(epoll_wait)(int epoll, struct epoll_event *events, int most, int timeout_ms) {
  THE_REAL(int, epoll_wait, (int, struct epoll_event *, int, int))
  if (FAULTY(INTERRUPTED)) {
    REFUSE(EINTR);
  }
  return the_real(epoll, events, most, timeout_ms);
}

int DOOR(dup3)(int descriptor, int number, int flags);
int DOOR(dup3)(int descriptor, int number, int flags) {
  THE_REAL(int, dup3, (int, int, int))
  if (FAULTY(INTERRUPTED)) {
    REFUSE(EINTR);
  }
  return the_real(descriptor, number, flags);
}

ssize_t DOOR(read)(int descriptor, void *memory, size_t size);
ssize_t DOOR(read)(int descriptor, void *memory, size_t size) {
  THE_REAL(ssize_t, read, (int, void *, size_t))
  if (FAULTY(INTERRUPTED)) {
    REFUSE(EINTR);
  }
  return the_real(descriptor, memory, size);
}

ssize_t DOOR(write)(int descriptor, const void *memory, size_t size);
ssize_t DOOR(write)(int descriptor, const void *memory, size_t size) {
  THE_REAL(ssize_t, write, (int, const void *, size_t))
  if (FAULTY(INTERRUPTED)) {
    REFUSE(EINTR);
  }
  return the_real(descriptor, memory, size);
}

/* The kernel says that a deadline is over before it says that a signal came. */
static bool is_over(const struct timespec *deadline) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return deadline != NULL
         && (now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec));
}

/* Six words are passed on whatever the call takes; the C library's own does the same. */
long DOOR(syscall)(long number, ...);
long DOOR(syscall)(long number, ...) {
  THE_REAL(long, syscall, (long, ...))
  long words[6];
  va_list more;
  va_start(more, number);
  for (int i = 0; i < 6; i++) {
    words[i] = va_arg(more, long);
  }
  va_end(more);
  int futex = number == SYS_futex ? (int)words[1] : 0;
  if ((futex == FUTEX_WAIT_BITSET_PRIVATE_ && !is_over((const struct timespec *)words[3]) && FAULTY(PARK_FOR_NOTHING))
      || (number == SYS_epoll_pwait2 && FAULTY(INTERRUPTED))) {
    REFUSE(EINTR);
  }
  if (futex == FUTEX_WAKE_PRIVATE_ && FAULTY(WAKE_SWALLOWED)) {
    return 0;
  }
  return the_real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
