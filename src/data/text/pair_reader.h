// Parallel text as a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/io/text_reader.h"

namespace nmt {

/// A line and its translation, without their ends; and, where they are read, their word alignment and the
/// weights of the target.
struct LinePair {
  std::string source, target, alignment, weights;
};

/// Reads pairs of lines: line i of one file with line i of another, or the two columns of one file, or
/// targets alone. Text is taken as TextReader takes it; a carriage return at the end of a line is dropped.
class PairReader {
 public:
  /// Two files; `most` and `job` as TextReader takes them. Throws Error when one cannot be opened.
  PairReader(const std::string& source, const std::string& target,
             std::optional<std::size_t> most = std::nullopt, const JobContext& job = {});
  /// One file of lines `source TAB target`. Throws Error when it cannot be opened.
  static PairReader from_columns(const std::string& path, const JobContext& job = {});

  /// One file of targets, whose sources are empty: the text of a language model. `most`, `job` and errors as
  /// for two files.
  static PairReader target_alone(const std::string& path, std::optional<std::size_t> most = std::nullopt,
                                 const JobContext& job = {});

  /// From now on, reads an alignment with each pair, or weights: the lines of another file. Throws Error when
  /// it cannot be opened.
  void read_alignment(const std::string& path, const JobContext& job = {});
  void read_weights(const std::string& path, const JobContext& job = {});
  /// The files of alignments and of weights, where there are any.
  std::string alignment_name() const { return alignment_ ? alignment_->name() : ""; }
  std::string weights_name() const { return weights_ ? weights_->name() : ""; }

  /// Reads these pairs alone; see TextReader.
  void restrict_to(std::int64_t first, std::int64_t last);

  /// The next pair; false at the end. Throws Error as TextReader does, when one file has fewer lines than
  /// another, and for a line that has not exactly one tab where columns are read.
  bool next(LinePair& pair);

  /// As TextReader does.
  void warn() {
    if (source_) source_->warn();
    if (target_) target_->warn();
    if (alignment_) alignment_->warn();
    if (weights_) weights_->warn();
  }

  /// How much of the first file has been read; see ByteSource.
  std::optional<double> part_read() const { return first().part_read(); }

  /// Pairs read so far.
  std::int64_t pairs() const { return first().line_number(); }

  /// Whether there are sources; without, there are targets alone.
  bool has_source() const { return source_.has_value(); }
  /// What messages call the text of each side, which is that of the other where it has no file of its own.
  const std::string& source_name() const { return first().name(); }
  const std::string& target_name() const { return target_ ? target_->name() : first().name(); }

 private:
  PairReader() = default;
  /// The source, or what there is instead.
  const TextReader& first() const { return source_ ? *source_ : *target_; }
  /// The line of such a file, where it is read, for the pair that was read last, if there was one.
  void next_beside(std::optional<TextReader>& file, std::string_view name, bool has_pair, std::string& line);
  /// The next pair without what stands in such files.
  bool next_sides(LinePair& pair);
  bool next_columns(LinePair& pair);

  std::optional<TextReader> source_;               // none: there are targets alone
  std::optional<TextReader> target_;               // none: the source holds both columns
  std::optional<TextReader> alignment_, weights_;  // none: they are not read
};

}  // namespace nmt
