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
  /// Reads the rest of `reader`; logs progress to `log`. Throws Error as the reader does, and if the
  /// temporary directory is full.
  explicit ParallelText(PairReader reader, Log& log = silent_log());
  /// Reads two files, as PairReader does.
  ParallelText(const std::string& source, const std::string& target, const JobContext& job = {})
      : ParallelText(PairReader(source, target, std::nullopt, job), *job.log) {}
  /// Reads one file of lines `source TAB target`.
  static ParallelText from_columns(const std::string& path) {
    return ParallelText(PairReader::from_columns(path));
  }

  std::int64_t size() const { return lines_.source.size(); }
  /// Returns a checksum of both sides, and of the alignments and weights if they were read.
  std::uint64_t fingerprint() const;
  const LineStore& source() const { return lines_.source; }
  const LineStore& target() const { return lines_.target; }
  /// Return the alignments and weights of the pairs, one line each; null if they were not read.
  const LineStore* alignment() const { return lines_.alignment ? &*lines_.alignment : nullptr; }
  const LineStore* weights() const { return lines_.weights ? &*lines_.weights : nullptr; }
  /// Releases the memory of data that was read; see MemoryMap.
  void forget_pages() const;

 private:
  struct Lines {
    LineStore source, target;
    std::optional<LineStore> alignment, weights;
  };
  static Lines store(PairReader reader, Log& log);

  Lines lines_;
};

/// How text is converted to examples.
struct Encoding {
  Vocabulary source, target;
  Filter filter;
  double sampling_alpha = 0;           // see Vocabulary::encode_sampled(); 0: always the best segmentation
  bool has_other_sources = false;      // whether to draw a second segmentation of each source
  std::optional<int> source_tag = {};  // an id to put before each source that is not empty
  bool has_alignment = false;          // whether examples have links
  bool has_weights = false;            // whether examples have weights of their target tokens
  AlignmentUnit alignment_unit = AlignmentUnit::word;
};

/// The words that the ids of a pair belong to, without tags.
struct WordsOfPair {
  Words source, target;
};

/// Converts a pair of lines to ids. Returns false and counts the pair if the filter drops it. `words`: if not
/// null, receives the words of the ids.
bool encode_pair(std::string_view source, std::string_view target, const Encoding& encoding, Example& example,
                 Dropped& dropped, WordsOfPair* words = nullptr);

/// Converts pair i to ids, with id i and the links and weights that the encoding asks for. Returns false and
/// counts the pair if the filter drops it. Throws Error as annotate() does.
bool encode_pair(const ParallelText& text, std::int64_t i, const Encoding& encoding, Example& example,
                 Dropped& dropped);

/// Returns a warning that `untold` of the sources name no target language (Vocabulary::lacks_language()).
std::string untold_text(std::int64_t untold, std::int64_t sources);

/// Converts all pairs in order; warns of dropped pairs. Throws Error if none is left.
std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding, Log& log = silent_log());

}  // namespace nmt
