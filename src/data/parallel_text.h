// Parallel text: line i of one file is the translation of line i of the other.
#pragma once

#include <cstdint>
#include <string>

#include "data/example.h"
#include "data/filter.h"
#include "data/line_store.h"
#include "data/vocabulary.h"

namespace nmt {

class ParallelText {
 public:
  /// Throws Error when a file cannot be read, when both are standard input, or when they differ in length.
  ParallelText(const std::string& source, const std::string& target);

  std::int64_t size() const { return source_.size(); }
  /// A checksum of both sides.
  std::uint64_t fingerprint() const { return source_.checksum() * 31 + target_.checksum(); }
  const LineStore& source() const { return source_; }
  const LineStore& target() const { return target_; }

 private:
  LineStore source_, target_;
};

/// How text becomes examples.
struct Encoding {
  Vocabulary source, target;
  Filter filter;
  double sampling_alpha = 0;  // see Vocabulary::encode_sampled; 0: always the best segmentation
};

/// Pair i as ids, its id i. False, and counted, when the filter leaves it out.
bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped);

/// All pairs in order; a warning tells what was dropped. Throws Error when nothing is left.
std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding);

}  // namespace nmt
