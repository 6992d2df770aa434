// Parallel text: line i of one file is the translation of line i of the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/example.h"
#include "data/text/filter.h"
#include "data/text/line_store.h"
#include "data/text/pair_reader.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

class ParallelText {
 public:
  /// All that `reader` has left; `log` hears how far that is. Throws Error as it does, and when the temporary
  /// directory has no room.
  explicit ParallelText(PairReader reader, Log& log = silent_log());
  /// Two files, as PairReader takes them.
  ParallelText(const std::string& source, const std::string& target, const JobContext& job = {})
      : ParallelText(PairReader(source, target, std::nullopt, job), *job.log) {}
  /// One file of lines `source TAB target`.
  static ParallelText from_columns(const std::string& path) {
    return ParallelText(PairReader::from_columns(path));
  }

  std::int64_t size() const { return source_.size(); }
  /// A checksum of both sides.
  std::uint64_t fingerprint() const { return source_.checksum() * 31 + target_.checksum(); }
  const LineStore& source() const { return source_; }
  const LineStore& target() const { return target_; }
  /// Gives the memory of what was read back to the system; see MemoryMap.
  void forget_pages() const {
    source_.forget_pages();
    target_.forget_pages();
  }

 private:
  explicit ParallelText(std::pair<LineStore, LineStore> sides)
      : source_(std::move(sides.first)), target_(std::move(sides.second)) {}

  LineStore source_, target_;
};

/// How text becomes examples.
struct Encoding {
  Vocabulary source, target;
  Filter filter;
  double sampling_alpha = 0;           // see Vocabulary::encode_sampled; 0: always the best segmentation
  bool has_other_sources = false;      // whether a second segmentation of each source is drawn
  std::optional<int> source_tag = {};  // an id before those of each source, unless that is empty
  bool has_alignment = false;          // whether examples have links
  bool has_weights = false;            // whether they have weights of their target tokens
};

/// A pair of lines as ids. False, and counted, when the filter leaves it out.
bool encode_pair(std::string_view source, std::string_view target, const Encoding& encoding, Example& example,
                 Dropped& dropped);

/// Pair i as ids, its id i. False, and counted, when the filter leaves it out.
bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped);

/// A warning of sources that tell no language (Vocabulary::lacks_language), of so many.
std::string untold_text(std::int64_t untold, std::int64_t sources);

/// All pairs in order; a warning tells what was dropped. Throws Error when nothing is left.
std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding, Log& log = silent_log());

}  // namespace nmt
