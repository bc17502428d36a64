/* SPDX-License-Identifier: MIT
 *
 * The textbook pool: a first-in-first-out list under one mutex, and one condition variable that idle threads wait on.
 */
#ifndef PEERS_CONDVAR_POOL_H
#define PEERS_CONDVAR_POOL_H

typedef enum wake_policy {
  WAKE_ALL, /* every submit wakes every idle thread */
  WAKE_ONE, /* every submit wakes one, after the mutex is free */
} wake_policy_t;

typedef struct condvar_item {
  struct condvar_item *next;
  void (*work)(struct condvar_item *);
} condvar_item_t;

/* For the life of the process; one such pool. */
void condvar_pool_start(int threads, wake_policy_t policy);
void condvar_pool_submit(condvar_item_t *item);

#endif
