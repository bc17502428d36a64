/* SPDX-License-Identifier: MIT
 *
 * Skynet on Boost.Fiber with the work-stealing scheduler, one thread per CPU: a fiber per node, with the 8 KiB stacks,
 * channels of 16 and immediate start of the published table. It is built twice, with tcmalloc and with the C library's
 * allocator, because that table shows a factor of two between them (T124).
 */
#include <boost/fiber/all.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "serve.h"
#include "skynet.h"

namespace {

namespace fibers = boost::fibers;
using channel = fibers::buffered_channel<skynet_result_t>;

constexpr std::size_t stack_size = 8 * 1024;
constexpr std::size_t channel_size = 16;

int64_t executed;

void node(fibers::fixedsize_stack &stacks, channel &result, int64_t ordinal, int64_t leaves) {
  if (leaves == 1) {
    result.push({ordinal, 1});
    return;
  }
  const int64_t below = leaves / SKYNET_CHILDREN;
  channel results{channel_size};
  for (int64_t i = 0; i < SKYNET_CHILDREN; i++) {
    fibers::fiber{fibers::launch::dispatch, std::allocator_arg, stacks, node, std::ref(stacks), std::ref(results),
                  ordinal + i * below, below}.detach();
  }
  skynet_result_t own = {0, 1};
  for (int i = 0; i < SKYNET_CHILDREN; i++) {
    const skynet_result_t child = results.value_pop();
    own.sum += child.sum;
    own.executed += child.executed;
  }
  result.push(own);
}

void grow(fibers::fixedsize_stack &stacks, int64_t leaves) {
  channel result{2};
  node(stacks, result, 0, leaves);
  const skynet_result_t total = result.value_pop();
  require(total.sum == skynet_sum(leaves) && total.executed == skynet_nodes(leaves), "all nodes, and the right sum");
  executed += total.executed;
}

/* The scheduler's threads look for work without a pause, so they live only as long as a run does. */
void with_threads(unsigned threads, void (*body)(int64_t, int64_t), int64_t leaves, int64_t iterations) {
  std::mutex mutex;
  fibers::condition_variable_any over;
  bool done = false;
  fibers::barrier all_there{threads};
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; i++) {
    others.emplace_back([&] {
      fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(threads);
      all_there.wait();
      std::unique_lock<std::mutex> lock{mutex};
      over.wait(lock, [&] { return done; });
    });
  }
  fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(threads);
  all_there.wait();
  body(leaves, iterations);
  {
    std::unique_lock<std::mutex> lock{mutex};
    done = true;
  }
  over.notify_all();
  for (auto &other : others) {
    other.join();
  }
}

void measured(int64_t leaves, int64_t iterations) {
  fibers::fixedsize_stack stacks{stack_size};
  grow(stacks, leaves);
  executed = 0;
  clock_start();
  for (int64_t i = 0; i < iterations; i++) {
    grow(stacks, leaves);
  }
  clock_stop();
}

int64_t run(const char *row, int64_t iterations) {
  int64_t leaves;
  require(row_is(row, "skynet/", &leaves), "a row of the table");
  /* A thread of its own, because a thread cannot change its scheduler back. */
  std::thread{[=] { with_threads(std::thread::hardware_concurrency(), measured, leaves, iterations); }}.join();
  return executed;
}

}  // namespace

int main(int argc, char **argv) {
  return serve(CONTENDER, run, argc, argv);
}
