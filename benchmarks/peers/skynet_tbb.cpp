/* SPDX-License-Identifier: MIT
 *
 * Skynet on oneTBB: a task per node, a task_group per parent, which waits for its children and sums them.
 */
#include <oneapi/tbb/task_group.h>

#include "serve.h"
#include "skynet.h"

namespace {

skynet_result_t node(int64_t ordinal, int64_t leaves) {
  if (leaves == 1) {
    return {ordinal, 1};
  }
  skynet_result_t results[SKYNET_CHILDREN];
  const int64_t below = leaves / SKYNET_CHILDREN;
  tbb::task_group children;
  for (int64_t i = 0; i < SKYNET_CHILDREN; i++) {
    children.run([=, &results] { results[i] = node(ordinal + i * below, below); });
  }
  children.wait();
  skynet_result_t result = {0, 1};
  for (const auto &child : results) {
    result.sum += child.sum;
    result.executed += child.executed;
  }
  return result;
}

int64_t grow(int64_t leaves) {
  skynet_result_t result{};
  tbb::task_group root;
  root.run([&] { result = node(0, leaves); });
  root.wait();
  require(result.sum == skynet_sum(leaves) && result.executed == skynet_nodes(leaves), "all nodes, and the right sum");
  return result.executed;
}

int64_t run(const char *row, int64_t iterations) {
  int64_t leaves;
  require(row_is(row, "skynet/", &leaves), "a row of the table");
  int64_t executed = 0;
  grow(leaves);
  clock_start();
  for (int64_t i = 0; i < iterations; i++) {
    executed += grow(leaves);
  }
  clock_stop();
  return executed;
}

}  // namespace

int main(int argc, char **argv) {
  return serve("tbb", run, argc, argv);
}
