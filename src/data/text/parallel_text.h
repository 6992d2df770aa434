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
#include "data/text/word_alignment.h"
#include "data/vocabulary/vocabulary.h"
#include "data/vocabulary/words.h"

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

  std::int64_t size() const { return lines_.source.size(); }
  /// A checksum of both sides, and of the alignments and weights where they were read.
  std::uint64_t fingerprint() const;
  const LineStore& source() const { return lines_.source; }
  const LineStore& target() const { return lines_.target; }
  /// The alignments and weights of the pairs, a line each; null where none were read.
  const LineStore* alignment() const { return lines_.alignment ? &*lines_.alignment : nullptr; }
  const LineStore* weights() const { return lines_.weights ? &*lines_.weights : nullptr; }
  /// Gives the memory of what was read back to the system; see MemoryMap.
  void forget_pages() const;

 private:
  struct Lines {
    LineStore source, target;
    std::optional<LineStore> alignment, weights;
  };
  static Lines store(PairReader reader, Log& log);

  Lines lines_;
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
  AlignmentUnit alignment_unit = AlignmentUnit::word;
};

/// The words of the ids of a pair, without tags.
struct WordsOfPair {
  Words source, target;
};

/// A pair of lines as ids. False, and counted, when the filter leaves it out. `words`: where it is not null,
/// receives the words of the ids.
bool encode_pair(std::string_view source, std::string_view target, const Encoding& encoding, Example& example,
                 Dropped& dropped, WordsOfPair* words = nullptr);

/// Pair i as ids, its id i, with the links and weights that the encoding asks for. False, and counted, when
/// the filter leaves it out. Throws Error as annotate() does.
bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped);

/// A warning of sources that tell no language (Vocabulary::lacks_language), of so many.
std::string untold_text(std::int64_t untold, std::int64_t sources);

/// All pairs in order; a warning tells what was dropped. Throws Error when nothing is left.
std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding, Log& log = silent_log());

}  // namespace nmt
