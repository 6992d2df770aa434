// Joins consecutive pairs of parallel text to examples of several sentences.
#pragma once

#include <cstdint>
#include <optional>

#include "data/example.h"
#include "data/text/parallel_text.h"

namespace nmt {

/// Joins pairs that follow one another, with the separator of separator_of() between two sentences. So a
/// model learns to translate sentences with those before them (Tiedemann and Scherrer, 2017). Each example
/// has at least 1 and at most `context` + 1 pairs. The number is drawn, so that the model also learns to
/// translate sentences with little or no context. An example ends early where the next pair is missing, or
/// where one of its sides would be longer than the filter of the encoding permits.
class PairJoiner {
 public:
  /// Throws UsageError if a vocabulary has no separator.
  PairJoiner(std::int64_t context, const Encoding& encoding);

  /// Takes the pair of a line. Its number is higher than that of the pair before it, and 1 higher if it
  /// follows it. Returns the example before it if that is complete.
  std::optional<Example> add(Example pair, std::int64_t number);
  /// Returns the last example; nothing if there was no pair.
  std::optional<Example> finish();

 private:
  /// Whether a pair belongs to the current example.
  bool continues(const Example& pair, std::int64_t number) const;
  void append(Example pair);

  std::int64_t context_, max_length_;
  int source_separator_, target_separator_;
  std::optional<Example> now_;
  std::int64_t pairs_ = 0, most_pairs_ = 0;  // of the current example
  std::int64_t last_ = 0;                    // number of its last pair
};

}  // namespace nmt
