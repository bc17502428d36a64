/* SPDX-License-Identifier: MIT
 *
 * A loop over a range on oneTBB. The body adds its number to a cell of an array.
 */
#include <oneapi/tbb/parallel_for.h>

#include <vector>

#include "serve.h"

namespace {

int64_t run(const char *row, int64_t iterations) {
  int64_t count;
  require(row_is(row, "for/", &count), "a row of the table");
  std::vector<int32_t> cells(static_cast<size_t>(count));
  const auto loop = [&] { tbb::parallel_for(int64_t{0}, count, [&](int64_t i) { cells[static_cast<size_t>(i)] += static_cast<int32_t>(i & 0xff); }); };
  loop();
  clock_start();
  for (int64_t i = 0; i < iterations; i++) {
    loop();
  }
  clock_stop();
  for (int64_t i = 0; i < count; i++) {
    require(cells[static_cast<size_t>(i)] == static_cast<int32_t>(static_cast<uint32_t>(i & 0xff) * static_cast<uint32_t>(iterations + 1)), "each iteration once a loop");
  }
  return count * iterations;
}

}  // namespace

int main(int argc, char **argv) {
  return serve("tbb", run, argc, argv);
}
