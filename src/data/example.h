// Example and Batch: pairs of sentences as ids, on the host.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <vector>

namespace nmt {

/// A token of the target and one of the source that belong together, by their places.
struct Link {
  int target = 0, source = 0;
  auto operator<=>(const Link&) const = default;
};

/// A pair of sentences as vocabulary ids, without BOS or EOS.
struct Example {
  std::int64_t id = 0;  // its place in the corpus, which keys its dropout masks
  std::vector<int> source, target;
  std::vector<Link> links = {};  // the alignment, where it is known: rising, none twice
  /// What the loss of its target tokens, EOS included, is multiplied by: a weight for each, or one for all of
  /// them; none: 1.
  std::vector<float> weights = {};
  /// Another segmentation of the source, for the second pass over a batch (see LossSettings::r_drop); none:
  /// it reads the same one.
  std::vector<int> other_source = {};
};

/// Tokens of both sides, EOS included; of the source in its longer segmentation.
inline std::int64_t tokens_of(const Example& example) {
  return std::max(std::ssize(example.source), std::ssize(example.other_source)) + std::ssize(example.target) +
         2;
}

/// Examples that are computed together.
struct Batch {
  std::vector<Example> examples;
};

}  // namespace nmt
