// Parallel text as a stream.
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

/// A line and its translation, without their ends; and, where they are read, their word alignment and the
/// weights of the target.
struct LinePair {
  std::string source, target, alignment, weights;
};

/// What a column of a file of columns is. Columns to skip may be there several times.
enum class Column : std::uint8_t { source, target, alignment, weights, skip };
/// "source", "target", "alignment", "weights", "skip".
template <>
struct Names<Column> {
  static constexpr std::array<Named<Column>, 5> kAll = {{{Column::source, "source"},
                                                         {Column::target, "target"},
                                                         {Column::alignment, "alignment"},
                                                         {Column::weights, "weights"},
                                                         {Column::skip, "skip"}}};
};

/// The columns with these names, each a name or a list with commas. Throws UsageError for an unknown name.
std::vector<Column> columns_named(const std::vector<std::string>& names);

/// Reads pairs of lines: line i of one file with line i of another, or the columns of one file, or targets
/// alone. Text is taken as TextReader takes it; a carriage return at the end of a line is dropped.
class PairReader {
 public:
  /// Two files; `most` and `job` as TextReader takes them. Throws Error when one cannot be opened.
  PairReader(const std::string& source, const std::string& target,
             std::optional<std::size_t> most = std::nullopt, const JobContext& job = {});
  /// One file whose lines have these columns, with tabs between them, a source and a target among them.
  /// Throws Error when it cannot be opened.
  static PairReader from_columns(const std::string& path, const JobContext& job = {},
                                 std::vector<Column> columns = {Column::source, Column::target});

  /// The source and the target of such lines alone. Columns after both may be missing or of another number.
  static PairReader from_first_columns(const std::string& path, std::vector<Column> columns,
                                       const JobContext& job = {});

  /// One file of targets, whose sources are empty: the text of a language model. `most`, `job` and errors as
  /// for two files.
  static PairReader target_alone(const std::string& path, std::optional<std::size_t> most = std::nullopt,
                                 const JobContext& job = {});

  /// From now on, reads an alignment with each pair, or weights: the lines of another file. Throws Error when
  /// it cannot be opened.
  void read_alignment(const std::string& path, const JobContext& job = {});
  void read_weights(const std::string& path, const JobContext& job = {});
  /// Whether each pair comes with an alignment, or with weights.
  bool has_alignment() const { return alignment_ || has_column(Column::alignment); }
  bool has_weights() const { return weights_ || has_column(Column::weights); }
  /// What messages call the files of alignments and of weights; empty where there are none.
  std::string alignment_name() const { return name_of(alignment_, Column::alignment); }
  std::string weights_name() const { return name_of(weights_, Column::weights); }

  /// Reads these pairs alone; see TextReader.
  void restrict_to(std::int64_t first, std::int64_t last);

  /// The next pair; false at the end. Throws Error as TextReader does, when one file has fewer lines than
  /// another, and for a line that has another number of columns than there are.
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
  /// "the source, the target".
  std::string columns_text() const;
  bool has_column(Column column) const { return std::ranges::count(columns_, column) > 0; }
  std::string name_of(const std::optional<TextReader>& file, Column column) const {
    if (file) return file->name();
    return has_column(column) ? first().name() : "";
  }

  std::vector<Column> columns_;                    // of the source; empty: it has no columns
  bool has_more_columns_ = false;                  // perhaps, which are ignored
  std::string line_;                               // of columns, the one that was read last
  std::optional<TextReader> source_;               // none: there are targets alone
  std::optional<TextReader> target_;               // none: the source holds both columns
  std::optional<TextReader> alignment_, weights_;  // none: they are not read
};

}  // namespace nmt
