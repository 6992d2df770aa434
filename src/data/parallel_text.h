// Parallel text: line i of one file is the translation of line i of the other.
#pragma once

#include <cstdint>
#include <string>

#include "data/example.h"
#include "data/line_store.h"
#include "data/vocabulary.h"

namespace nmt {

class ParallelText {
 public:
  /// Throws Error when a file cannot be read, when both are standard input, or when they differ in length.
  ParallelText(const std::string& source, const std::string& target);

  std::int64_t size() const { return source_.size(); }
  const LineStore& source() const { return source_; }
  const LineStore& target() const { return target_; }

 private:
  LineStore source_, target_;
};

/// How text becomes examples. A pair with more tokens than max_length on a side is dropped, as is one with an
/// empty side.
struct Encoding {
  Vocabulary source, target;
  std::int64_t max_length = 256;
};

/// Pairs that were left out, by reason.
struct Dropped {
  std::int64_t too_long = 0, empty = 0;
};

/// Pair i as ids, its id i. False, and counted, when it is to be dropped.
bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped);

/// All pairs in order; a warning tells what was dropped. Throws Error when nothing is left.
std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding);

/// "12 longer than 256 tokens, 3 with an empty side", or an empty string.
std::string description(const Dropped& dropped, std::int64_t max_length);

}  // namespace nmt
