#include <algorithm>
#include <numeric>

#include "backend/parity.h"

namespace nmt::testing {
namespace {

using Integers = std::vector<std::int32_t>;

struct StatesShape {
  std::string name;
  std::int64_t d, cache_rows;
  Integers hypotheses;  // of each sentence
  Integers positions;   // of each hypothesis
};

/// Hypotheses that may share their past; the last rows of the cache belong to this step.
Results run(const StatesShape& shape, Device& device, Random& random) {
  const std::int64_t rows = std::ssize(shape.positions), d = shape.d;
  const std::int64_t longest = rows == 0 ? 1 : std::ranges::max(shape.positions) + 1;
  const auto past = static_cast<std::int32_t>(shape.cache_rows);
  Integers places = random.integers(rows * longest, 0, past - 1);
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int32_t position = shape.positions[static_cast<std::size_t>(r)];
    places[static_cast<std::size_t>(r * longest + position)] = past + static_cast<std::int32_t>(r);
  }
  const std::int64_t sentences = std::ssize(shape.hypotheses);
  const std::int32_t source_rows = 3 * static_cast<std::int32_t>(sentences) + 1;
  const Tensor cache = normal_matrix(device, random, past + rows, d);
  const Tensor index = device.integers(rows, longest, places);
  const Tensor position = device.integers(1, rows, shape.positions);
  const ReadStates read{
      .cache = cache,
      .start = normal_matrix(device, random, source_rows, d),
      .index = index,
      .position = position,
      .sentences = make_offsets(device, shape.hypotheses),
      .begin = device.integers(1, sentences, random.integers(sentences, 0, source_rows - 1)),
      .states = device.result(rows, d)};
  device.backend().run(read);
  for (std::size_t i = 2; i < places.size(); i += 3) places[i] = -1;
  device.backend().run(WriteStates{.states = normal_matrix(device, random, rows, d),
                                   .index = device.integers(rows, longest, places),
                                   .position = position,
                                   .cache = cache});
  return {{"states", read.states}, {"cache", cache}};
}

}  // namespace

Operation states_operations() {
  return tabulate<StatesShape>("states", 0, 0,
                               {{"no sentences", 8, 3, {}, {}},
                                {"one that begins", 8, 1, {1}, {0}},
                                {"one column", 1, 4, {2}, {2, 1}},
                                {"sentences without hypotheses", 16, 9, {0, 3, 0}, {4, 4, 4}},
                                {"beams", 23, 50, {4, 1, 3, 1}, {7, 7, 7, 7, 0, 2, 2, 2, 0}},
                                {"wide", 515, 20, {2, 2}, {2, 2, 5, 5}}},
                               run);
}

}  // namespace nmt::testing
