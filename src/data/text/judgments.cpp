#include "data/text/judgments.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/io/checksum.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

std::vector<std::string> divide(const std::string& line, char separator) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == separator)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

/// The rows of a table.
class Rows {
 public:
  Rows(const std::string& path, const JobContext& job)
      : reader_(path, CarriageReturn::drop, std::nullopt, job) {}

  /// Reads the next row. Returns false at the end.
  bool next(std::vector<std::string>& cells) {
    std::string line;
    if (!reader_.next(line)) return false;
    first_line_ = reader_.line_number();
    if (first_line_ == 1) has_quotes_ = line.find('\t') == line.npos;
    cells = has_quotes_ ? quoted_cells(std::move(line)) : divide(line, '\t');
    return true;
  }
  const std::string& name() const { return reader_.name(); }
  /// Returns the line on which the last row begins.
  std::int64_t line() const { return first_line_; }

 private:
  /// Returns the cells of a row with quotes, which may continue on the next lines.
  std::vector<std::string> quoted_cells(std::string line) {
    std::vector<std::string> cells(1);
    bool in_quotes = false;
    for (std::size_t i = 0;; ++i) {
      if (i == line.size()) {
        if (!in_quotes) return cells;
        cells.back() += '\n';
        i = static_cast<std::size_t>(-1);
        if (!reader_.next(line))
          throw Error("'{}', line {}: a quotation mark is not closed; add the missing one", name(),
                      first_line_);
        continue;
      }
      const char c = line[i];
      if (c == '"' && in_quotes && i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += line[++i];
      } else if (c == '"' && (in_quotes || cells.back().empty())) {
        in_quotes = !in_quotes;
      } else if (c == ',' && !in_quotes) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
  }

  TextReader reader_;
  std::int64_t first_line_ = 0;
  bool has_quotes_ = false;
};

/// Returns the places of the columns of these names.
std::vector<std::size_t> places_of(const std::vector<std::string>& names,
                                   const std::vector<std::string>& header, const std::string& file) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto place = std::ranges::find(header, name);
    if (place == header.end()) {
      throw Error("'{}', line 1: missing column '{}'; the first line must name the columns {}", file, name,
                  fmt::join(names, ", "));
    }
    places.push_back(static_cast<std::size_t>(place - header.begin()));
  }
  return places;
}

double score_of(const std::string& text, const Rows& rows) {
  const auto score = number_of<double>(text);
  if (score && std::isfinite(*score)) return *score;
  throw Error("'{}', line {}: the score is {}, not a number; correct or remove the line", rows.name(),
              rows.line(), quoted(text));
}

}  // namespace

Judgments read_judgments(const std::string& path, bool has_reference, const JobContext& job) {
  Rows rows(path, job);
  std::vector<std::string> names = {"src", "mt", "score"};
  if (has_reference) names.insert(names.begin() + 2, "ref");
  std::vector<std::string> cells;
  if (!rows.next(cells)) throw Error("'{}' is empty; it should contain judgments", path);
  const std::size_t columns = cells.size();
  const std::vector<std::size_t> places = places_of(names, cells, rows.name());
  Judgments judgments{.name = rows.name(), .texts = {}};
  Checksum sum;
  while (rows.next(cells)) {
    if (cells.size() != columns) {
      throw Error("'{}', line {}: {} instead of {}; correct or remove the line", rows.name(), rows.line(),
                  count_of(std::ssize(cells), "column"), columns);
    }
    const auto cell = [&](std::size_t column) -> std::string& { return cells[places[column]]; };
    for (std::size_t i = 0; i < names.size(); ++i) sum.add(cell(i)).add("\n");
    judgments.texts.push_back({.source = std::move(cell(0)),
                               .translation = std::move(cell(1)),
                               .reference = has_reference ? std::move(cell(2)) : "",
                               .score = score_of(cell(names.size() - 1), rows)});
  }
  if (judgments.texts.empty()) throw Error("'{}' has no judgments after its first line", rows.name());
  judgments.fingerprint = sum.value();
  return judgments;
}

}  // namespace nmt
