// N-best lists: several translations of each line of a text, as Moses, Marian and nmt translate write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/io/text_reader.h"
#include "data/text/pair_reader.h"

namespace nmt {

/// A text for a line of an n-best list, in which bars between blanks would end it: they are written as Moses
/// writes them in text, &#124;&#124;&#124;, and NBestEntry::text() has them as they were.
std::string with_escaped_bars(std::string text);

/// A line `index ||| text`, after which there may be `||| features ||| total` or any other fields. Bars that
/// do not stand alone are text.
class NBestEntry {
 public:
  NBestEntry() = default;
  /// `line`: valid UTF-8. Throws Error when it has another form.
  explicit NBestEntry(std::string line);

  const std::string& line() const { return line_; }
  /// The number of the line that is translated, from 0.
  std::int64_t index() const { return index_; }
  /// The translation, without blanks around it.
  const std::string& text() const { return text_; }
  /// The line with `name= value` (six decimals) as a feature: at the end of the third field where that holds
  /// features or nothing, otherwise in a field of its own before it.
  std::string with_feature(std::string_view name, double value) const;
  /// The line, which has features, with a total (six decimals) behind them, in place of the number that may
  /// stand there.
  std::string with_total(double total) const;

 private:
  std::string line_, text_;
  std::int64_t index_ = 0;
  std::size_t third_ = 0;  // where the third field begins, behind its bars; 0: there is none
};

/// Reads an n-best list beside the text that it translates. Neither is ever in memory as a whole.
class NBestReader {
 public:
  /// `most`: of the source; it and `job` as TextReader takes them. Throws Error when one cannot be opened.
  NBestReader(const std::string& source, const std::string& list,
              std::optional<std::size_t> most = std::nullopt, const JobContext& job = {});

  /// The next entry, and the line that it translates beside its text; false at the end of the list. Throws
  /// Error as TextReader does, for a line that is no entry, when indices fall, and for one beyond the text.
  bool next(NBestEntry& entry, LinePair& pair);

  /// How much of the list has been read; see ByteSource.
  std::optional<double> part_read() const { return list_.part_read(); }
  /// What messages call the list.
  const std::string& name() const { return list_.name(); }

 private:
  TextReader source_, list_;
  std::string source_line_;
};

}  // namespace nmt
