// Reads parallel text as a stream.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/text_reader.h"
#include "common/text/named.h"

namespace nmt {

/// A line and its translation, without their ends, and if they are read, their word alignment and the weights
/// of the target.
struct LinePair {
  std::string source, target, alignment, weights;
};

/// The kind of a column. `skip` may occur several times.
enum class Column : std::uint8_t { source, target, alignment, weights, skip };
/// Names: "source", "target", "alignment", "weights", "skip".
template <>
struct Names<Column> {
  static constexpr std::array<Named<Column>, 5> kAll = {{{Column::source, "source"},
                                                         {Column::target, "target"},
                                                         {Column::alignment, "alignment"},
                                                         {Column::weights, "weights"},
                                                         {Column::skip, "skip"}}};
};

/// Returns the columns with these names, each a name or a comma-separated list. Throws UsageError for an
/// unknown name; `setting`: what named them, for its message.
std::vector<Column> columns_named(const std::vector<std::string>& names,
                                  const std::string& setting = "`tsv_columns`");

/// Reads pairs of lines: line i of two files, or the columns of one file, or only targets. Reads text as
/// TextReader does; a carriage return at the end of a line is dropped.
class PairReader {
 public:
  /// Reads two files; `most` and `job` are as in TextReader. Throws Error if one cannot be opened.
  PairReader(const std::string& source, const std::string& target,
             std::optional<std::size_t> most = std::nullopt, const JobContext& job = {});
  /// Reads one file whose lines have these columns, separated by tabs, including a source and a target.
  /// Throws Error if it cannot be opened.
  static PairReader from_columns(const std::string& path, const JobContext& job = {},
                                 std::vector<Column> columns = {Column::source, Column::target});

  /// Reads only the source and the target of such lines. Columns after both may be missing or differ in
  /// number.
  static PairReader from_first_columns(const std::string& path, std::vector<Column> columns,
                                       const JobContext& job = {});

  /// Reads one file of targets with empty sources, the text of a language model. `most`, `job` and errors are
  /// as for two files.
  static PairReader target_alone(const std::string& path, std::optional<std::size_t> most = std::nullopt,
                                 const JobContext& job = {});

  /// From now on, reads an alignment, or weights, with each pair from the lines of another file. Throws Error
  /// if it cannot be opened.
  void read_alignment(const std::string& path, const JobContext& job = {});
  void read_weights(const std::string& path, const JobContext& job = {});
  /// Whether each pair has an alignment, or weights.
  bool has_alignment() const { return alignment_ || has_column(Column::alignment); }
  bool has_weights() const { return weights_ || has_column(Column::weights); }
  /// Returns the names of the files of alignments and of weights for messages; empty if there are none.
  std::string alignment_name() const { return name_of(alignment_, Column::alignment); }
  std::string weights_name() const { return name_of(weights_, Column::weights); }

  /// Restricts reading to these pairs; see TextReader.
  void restrict_to(std::int64_t first, std::int64_t last);

  /// Reads the next pair; returns false at the end. Throws Error as TextReader does, if one file has fewer
  /// lines than another, and for a line with a wrong number of columns.
  bool next(LinePair& pair);

  /// Warns of invalid bytes as TextReader does.
  void warn() {
    if (source_) source_->warn();
    if (target_) target_->warn();
    if (alignment_) alignment_->warn();
    if (weights_) weights_->warn();
  }

  /// Returns how much of the first file has been read; see ByteSource.
  std::optional<double> part_read() const { return first().part_read(); }

  /// Returns the number of pairs read so far.
  std::int64_t pairs() const { return first().line_number(); }

  /// Whether there are sources; if not, there are only targets.
  bool has_source() const { return source_.has_value(); }
  /// Returns the names of the texts of the sides for messages; a side without its own file has the name of
  /// the other.
  const std::string& source_name() const { return first().name(); }
  const std::string& target_name() const { return target_ ? target_->name() : first().name(); }

 private:
  PairReader() = default;
  /// Returns the reader of the source, or of the targets if there is no source.
  const TextReader& first() const { return source_ ? *source_ : *target_; }
  /// Reads the line of an annotation file, if there is one, for the last pair, if there was one.
  void next_beside(std::optional<TextReader>& file, std::string_view name, bool has_pair, std::string& line);
  /// Reads the next pair without its annotation files.
  bool next_sides(LinePair& pair);
  bool next_columns(LinePair& pair);
  /// Describes the columns: "the source, the target".
  std::string columns_text() const;
  bool has_column(Column column) const { return std::ranges::count(columns_, column) > 0; }
  std::string name_of(const std::optional<TextReader>& file, Column column) const {
    if (file) return file->name();
    return has_column(column) ? first().name() : "";
  }

  std::vector<Column> columns_;                    // of the source; empty: no columns
  bool has_more_columns_ = false;                  // whether further columns are allowed and ignored
  std::string line_;                               // the last line of columns
  std::optional<TextReader> source_;               // none: only targets
  std::optional<TextReader> target_;               // none: the source contains both columns
  std::optional<TextReader> alignment_, weights_;  // none: not read
};

}  // namespace nmt
