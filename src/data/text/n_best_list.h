// N-best lists: several translations per line of a text, in the format of Moses, Marian and nmt translate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/io/text_reader.h"
#include "data/text/pair_reader.h"

namespace nmt {

/// Escapes bars between spaces in a text, which would end its field in an n-best list, as Moses does:
/// &#124;&#124;&#124;. NBestEntry::text() reverts it.
std::string with_escaped_bars(std::string text);

/// A line `index ||| text`, optionally followed by `||| features ||| total` or any other fields. Bars without
/// spaces around them are text.
class NBestEntry {
 public:
  NBestEntry() = default;
  /// `line`: valid UTF-8. Throws Error if it has another format.
  explicit NBestEntry(std::string line);

  const std::string& line() const { return line_; }
  /// Returns the number of the source line, from 0.
  std::int64_t index() const { return index_; }
  /// Returns the translation, without spaces around it.
  const std::string& text() const { return text_; }
  /// Returns the line with the feature `name= value` (six decimals). It replaces the feature of this name. If
  /// there is none, it is appended to the third field if that contains features or nothing, otherwise added
  /// as a field before the third one. Throws Error if several features have this name, or if one has several
  /// values.
  std::string with_feature(std::string_view name, double value) const;
  /// Returns the line, which has features, with a total (six decimals) after them, which replaces an existing
  /// number.
  std::string with_total(double total) const;

 private:
  std::string line_, text_;
  std::int64_t index_ = 0;
  std::size_t third_ = 0;  // start of the third field, after its bars; 0: no third field
};

/// Reads an n-best list together with its source text. Neither is ever in memory as a whole.
class NBestReader {
 public:
  /// `most`: limit for the source; it and `job` are as in TextReader. Throws Error if a file cannot be
  /// opened.
  NBestReader(const std::string& source, const std::string& list,
              std::optional<std::size_t> most = std::nullopt, const JobContext& job = {});

  /// Reads the next entry, and its source line with its text; returns false at the end of the list. Throws
  /// Error as TextReader does, for a malformed entry, for descending indices, and for an index beyond the
  /// text.
  bool next(NBestEntry& entry, LinePair& pair);

  /// Returns how much of the list has been read; see ByteSource.
  std::optional<double> part_read() const { return list_.part_read(); }
  /// Returns the name of the list for messages.
  const std::string& name() const { return list_.name(); }

 private:
  TextReader source_, list_;
  std::string source_line_;
};

}  // namespace nmt
