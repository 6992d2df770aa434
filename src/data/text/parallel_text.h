// Parallel text in files, and its conversion to examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/spool.h"
#include "common/job_context.h"
#include "data/example.h"
#include "data/text/filter.h"
#include "data/text/pair_reader.h"
#include "data/text/word_annotations.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// Returns a setting of a run by its name, such as valid-source; several values are separated by commas or
/// spaces.
using RunSetting = std::function<std::optional<std::string>(const std::string& name)>;

/// The names of the files of parallel text: a source and a target, one file with both as columns, or only a
/// target for a language model.
struct ParallelFiles {
  std::optional<std::string> source, target, tsv;
  std::vector<Column> columns = {Column::source,
                                 Column::target};  // of `tsv`; see PairReader::from_first_columns()

  /// Returns the validation text of a run with these settings.
  static ParallelFiles of_validation(const RunSetting& setting);

  bool given() const { return target || tsv; }
  bool has_source() const { return source || tsv; }
  /// Returns the given files, the one with the target last.
  std::vector<std::string> files() const;
  /// Opens the text, which must be given; `most`: as in PairReader, for files without columns. Throws Error
  /// if a file cannot be opened.
  PairReader open(const JobContext& job = {}, std::optional<std::size_t> most = std::nullopt) const;

  bool operator==(const ParallelFiles&) const = default;
};

/// A pair of lines with its annotations, which are empty if they are not read.
struct AnnotatedLines {
  std::string_view source, target, alignment = {}, weights = {};
};

/// The names of the files of annotations.
struct AnnotationNames {
  std::string alignment, weights;

  /// Return the places of line `number`, from 1, for messages: "'train.align', line 7".
  std::string place_of_alignment(std::int64_t number) const;
  std::string place_of_weights(std::int64_t number) const;
};

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
  /// Returns pair i with the annotations that were read.
  AnnotatedLines operator[](std::int64_t i) const;
  AnnotationNames names() const;
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

/// The vocabularies and settings by which text is converted to examples.
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

/// Returns the alignment of the words of these lines, whatever the encoding says that their alignment counts.
/// Throws Error as parse_word_alignment() and check_words() do.
WordAlignment word_alignment(const AnnotatedLines& lines, const Encoding& encoding, const std::string& place);

/// Converts a pair of lines to ids with the links and weights that the encoding asks for. Returns why the
/// filter drops the pair; nothing: it is kept. Errors name annotations by `names` and the line number, from
/// 1. Throws Error as word_alignment(), links_of(), parse_weights() and token_weights() do.
std::optional<Drop> encode_pair(const AnnotatedLines& lines, const Encoding& encoding,
                                const AnnotationNames& names, std::int64_t number, Example& example);

/// Returns a warning that `untold` of the sources name no target language (Vocabulary::lacks_language()).
std::string untold_text(std::int64_t untold, std::int64_t sources);

/// Converts all pairs in order; warns of dropped pairs. Throws Error if none is left.
std::vector<Example> encode_all(const ParallelText& text, const Encoding& encoding, Log& log = silent_log());

}  // namespace nmt
