// Example and Batch: pairs of sentences as ids on the host.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <vector>

namespace nmt {

/// A link of a word alignment: a target token and a source token, by their positions.
struct Link {
  int target = 0, source = 0;
  auto operator<=>(const Link&) const = default;
};

/// The id of a token that is cut: its embedding is the zero vector.
inline constexpr int kCutToken = -1;

/// A pair of sentences as vocabulary ids, without BOS and EOS.
struct Example {
  std::int64_t id = 0;  // number in the corpus, which seeds its dropout masks
  std::vector<int> source, target;
  std::vector<Link> links = {};  // the alignment, if known: sorted, without duplicates
  /// Factors of the loss of its target tokens, EOS included: one per token, or one for all; empty: 1.
  std::vector<float> weights = {};
  /// What the second pass over a batch reads instead (see LossSettings): another segmentation of the source,
  /// or the same tokens, some of them cut; a target of equal length. Empty: the same as the first pass.
  std::vector<int> other_source = {}, other_target = {};
};

/// Returns the number of tokens of both sides, EOS included; of the longer segmentation of the source.
inline std::int64_t tokens_of(const Example& example) {
  return std::max(std::ssize(example.source), std::ssize(example.other_source)) + std::ssize(example.target) +
         2;
}

/// Examples that are computed together.
struct Batch {
  std::vector<Example> examples;
};

}  // namespace nmt
