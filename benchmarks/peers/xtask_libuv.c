/* SPDX-License-Identifier: MIT
 *
 * The rows of the xtask table on libuv's thread pool. Its size is UV_THREADPOOL_SIZE, 4 by default, and belongs to the
 * process: worker-scaling takes one process per size. Requests are allocated once, as a user in a hurry would.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <uv.h>

#include "serve.h"

enum { MOST_ITEMS = 10000, MOST_PRODUCERS = 8, ITEMS_PER_PRODUCER = 1000 };

typedef struct producer {
  uv_loop_t loop;
  uv_work_t requests[ITEMS_PER_PRODUCER];
  int64_t remaining, reported;
  pthread_t thread;
} producer_t;

static uv_loop_t loop;
static uv_work_t requests[MOST_ITEMS];
static producer_t *producers;
static int64_t remaining, reported;
static _Atomic int64_t counted;

/* Of concurrent-submit: how many producers have arrived, and who may begin a round, or has finished it. */
static _Atomic int64_t arrived;
static sem_t opened[MOST_PRODUCERS], finished;
static int64_t rounds;
static int producer_count;

static void do_nothing(uv_work_t *request) {
  (void)request;
}

static void increment(uv_work_t *request) {
  (void)request;
  atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
}

static void report(uv_work_t *request, int status) {
  require(request != NULL && status == 0, "executed");
  remaining--;
  reported++;
}

static void submit_and_run(int64_t items, uv_work_cb work) {
  remaining = items;
  for (int64_t i = 0; i < items; i++) {
    require(uv_queue_work(&loop, &requests[i], work, report) == 0, "queued");
  }
  while (remaining > 0) {
    uv_run(&loop, UV_RUN_ONCE);
  }
}

static int64_t repeat(int64_t iterations, int64_t items, uv_work_cb work) {
  require(items > 0 && items <= MOST_ITEMS, "a size of the table");
  for (int64_t i = 0; i < iterations / 10 + 1; i++) {
    submit_and_run(items, work);
  }
  reported = 0;
  atomic_store(&counted, 0);
  clock_start();
  for (int64_t i = 0; i < iterations; i++) {
    submit_and_run(items, work);
  }
  clock_stop();
  require(work == do_nothing || atomic_load(&counted) == reported, "each item counted once");
  return reported;
}

static void report_to_producer(uv_work_t *request, int status) {
  producer_t *producer = request->data;
  require(status == 0, "executed");
  producer->remaining--;
  producer->reported++;
}

static void produce(producer_t *producer) {
  producer->remaining = ITEMS_PER_PRODUCER;
  for (int i = 0; i < ITEMS_PER_PRODUCER; i++) {
    producer->requests[i].data = producer;
    require(uv_queue_work(&producer->loop, &producer->requests[i], do_nothing, report_to_producer) == 0, "queued");
  }
  while (producer->remaining > 0) {
    uv_run(&producer->loop, UV_RUN_ONCE);
  }
}

/* As defined: a thread of one round, which meets the others at a spin barrier. */
static void *produce_once(void *producer) {
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < producer_count) {
    sched_yield();
  }
  produce(producer);
  return NULL;
}

static int64_t executed_by_all(void) {
  int64_t executed = 0;
  for (int i = 0; i < producer_count; i++) {
    executed += producers[i].reported;
    producers[i].reported = 0;
  }
  return executed;
}

static void create_produce_join(void) {
  atomic_store(&arrived, 0);
  for (int i = 0; i < producer_count; i++) {
    require(pthread_create(&producers[i].thread, NULL, produce_once, &producers[i]) == 0, "thread created");
  }
  for (int i = 0; i < producer_count; i++) {
    pthread_join(producers[i].thread, NULL);
  }
}

static int64_t concurrent_submit(int64_t iterations) {
  create_produce_join();
  executed_by_all();
  clock_start();
  for (int64_t i = 0; i < iterations; i++) {
    create_produce_join();
  }
  clock_stop();
  return executed_by_all();
}

/* A thread of all rounds, which sleeps in between: one that polled would take its CPU from the pool. */
static void *produce_each_round(void *argument) {
  producer_t *producer = argument;
  for (int64_t round = 0; round < rounds; round++) {
    sem_wait(&opened[producer - producers]);
    produce(producer);
    sem_post(&finished);
  }
  return NULL;
}

static void run_round(void) {
  for (int i = 0; i < producer_count; i++) {
    sem_post(&opened[i]);
  }
  for (int i = 0; i < producer_count; i++) {
    sem_wait(&finished);
  }
}

static int64_t concurrent_submit_warm(int64_t iterations) {
  rounds = iterations + 1;
  sem_init(&finished, 0, 0);
  for (int i = 0; i < producer_count; i++) {
    sem_init(&opened[i], 0, 0);
    require(pthread_create(&producers[i].thread, NULL, produce_each_round, &producers[i]) == 0, "thread created");
  }
  run_round(); /* all of them have run before the clock starts (T121) */
  executed_by_all();
  clock_start();
  for (int64_t round = 1; round < rounds; round++) {
    run_round();
  }
  clock_stop();
  for (int i = 0; i < producer_count; i++) {
    pthread_join(producers[i].thread, NULL);
  }
  return executed_by_all();
}

static int64_t concurrent(int64_t count, int64_t iterations, int64_t (*run)(int64_t)) {
  require(count > 0 && count <= MOST_PRODUCERS, "a number of producers of the table");
  producer_count = (int)count;
  return run(iterations);
}

static int64_t run(const char *row, int64_t iterations) {
  int64_t number;
  if (row_is(row, "submit-wait/", &number)) {
    return repeat(iterations, number, do_nothing);
  }
  if (row_is(row, "fan-out/", &number) || row_is(row, "worker-scaling/", &number)) {
    return repeat(iterations, number, increment);
  }
  if (row_is(row, "batch/", &number)) {
    return repeat(iterations, number, do_nothing);
  }
  if (row_is(row, "concurrent-submit/", &number)) {
    return concurrent(number, iterations, concurrent_submit);
  }
  if (row_is(row, "concurrent-submit-warm/", &number)) {
    return concurrent(number, iterations, concurrent_submit_warm);
  }
  require(0, "a row of the table");
  return 0;
}

int main(int argc, char **argv) {
  producers = calloc(MOST_PRODUCERS, sizeof *producers);
  require(producers != NULL && uv_loop_init(&loop) == 0, "loop created");
  for (int i = 0; i < MOST_PRODUCERS; i++) {
    require(uv_loop_init(&producers[i].loop) == 0, "loop created");
  }
  return serve("libuv", run, argc, argv);
}
