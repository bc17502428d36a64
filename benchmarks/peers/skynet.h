/* SPDX-License-Identifier: MIT
 *
 * Skynet: a node spawns ten children until there are as many leaves as asked for; each leaf yields its ordinal, each
 * node the sum of its children, and how many nodes have been executed for it: counting costs no shared word.
 */
#ifndef PEERS_SKYNET_H
#define PEERS_SKYNET_H

#include <stdint.h>

enum { SKYNET_CHILDREN = 10 };

typedef struct skynet_result {
  int64_t sum, executed;
} skynet_result_t;

static inline int64_t skynet_sum(int64_t leaves) {
  return leaves * (leaves - 1) / 2;
}

/* A power of ten leaves, and the levels above them. */
static inline int64_t skynet_nodes(int64_t leaves) {
  int64_t nodes = 0;
  for (; leaves > 0; leaves /= SKYNET_CHILDREN) {
    nodes += leaves;
  }
  return nodes;
}

#endif
