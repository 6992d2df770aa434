// Example and Batch: pairs of sentences as ids, on the host.
#pragma once

#include <cstdint>
#include <vector>

namespace nmt {

/// A pair of sentences as vocabulary ids, without begin or end marks.
struct Example {
  std::int64_t id = 0;  // its place in the corpus, which keys its dropout masks
  std::vector<int> source, target;
};

/// Examples that are computed together.
struct Batch {
  std::vector<Example> examples;
};

}  // namespace nmt
