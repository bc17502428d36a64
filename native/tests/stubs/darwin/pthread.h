/* SPDX-License-Identifier: MIT
 *
 * What is used of pthread.h.
 */
#ifndef STUB_PTHREAD_H
#define STUB_PTHREAD_H

#include <stddef.h>
#include <time.h>

typedef struct stub_pthread *pthread_t;
typedef struct stub_pthread_attr pthread_attr_t;
typedef struct stub_pthread_condattr pthread_condattr_t;
typedef struct stub_pthread_mutexattr pthread_mutexattr_t;

typedef struct stub_pthread_mutex {
  long signature;
  char opaque[56];
} pthread_mutex_t;

typedef struct stub_pthread_cond {
  long signature;
  char opaque[40];
} pthread_cond_t;

typedef struct stub_pthread_once {
  long signature;
  char opaque[8];
} pthread_once_t;

#define PTHREAD_ONCE_INIT {0x30B1BCBA, {0}}

int pthread_once(pthread_once_t *once, void (*run)(void));
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_broadcast(pthread_cond_t *condition);
int pthread_cond_timedwait_relative_np(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *timeout);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);

#endif
