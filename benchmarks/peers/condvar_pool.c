/* SPDX-License-Identifier: MIT
 *
 * The textbook pool.
 */
#include "condvar_pool.h"

#include <pthread.h>
#include <stddef.h>

#include "measure.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t available = PTHREAD_COND_INITIALIZER;
static condvar_item_t *first, **last = &first;
static wake_policy_t wake_policy;

static void *work(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (first == NULL) {
      pthread_cond_wait(&available, &mutex);
    }
    condvar_item_t *item = first;
    first = item->next;
    if (first == NULL) {
      last = &first;
    }
    pthread_mutex_unlock(&mutex);
    if (wake_policy == WAKE_ALL) {
      pthread_cond_broadcast(&available); /* the first version of the reference wakes all threads at every change */
    }
    item->work(item);
  }
  return NULL;
}

void condvar_pool_start(int threads, wake_policy_t policy) {
  wake_policy = policy;
  for (int i = 0; i < threads; i++) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, work, NULL) == 0, "thread created");
    pthread_detach(thread);
  }
}

void condvar_pool_submit(condvar_item_t *item) {
  item->next = NULL;
  pthread_mutex_lock(&mutex);
  *last = item;
  last = &item->next;
  pthread_mutex_unlock(&mutex);
  if (wake_policy == WAKE_ALL) {
    pthread_cond_broadcast(&available);
  } else {
    pthread_cond_signal(&available);
  }
}
