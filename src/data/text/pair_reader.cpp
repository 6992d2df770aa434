#include "data/text/pair_reader.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"

namespace nmt {

std::vector<Column> columns_named(const std::vector<std::string>& names, const std::string& setting) {
  std::vector<Column> columns;
  for (const std::string& list : names) {
    for (const std::string& name : split_at_commas(list)) {
      const std::optional<Column> column = value_named<Column>(name);
      if (!column) {
        throw UsageError("{}: unknown column {}{}; choose from {}", setting, quoted(name),
                         did_you_mean(name, names_of<Column>()), join(names_of<Column>(), ", "));
      }
      columns.push_back(*column);
    }
  }
  return columns;
}

PairReader::PairReader(const std::string& source, const std::string& target, std::optional<std::size_t> most,
                       const JobContext& job)
    : source_(std::in_place, source, CarriageReturn::drop, most, job),
      target_(std::in_place, target, CarriageReturn::drop, most, job) {}

PairReader PairReader::from_columns(const std::string& path, const JobContext& job,
                                    std::vector<Column> columns) {
  PairReader reader;
  reader.columns_ = std::move(columns);
  reader.source_.emplace(path, CarriageReturn::drop, std::nullopt, job);
  return reader;
}

PairReader PairReader::from_first_columns(const std::string& path, std::vector<Column> columns,
                                          const JobContext& job) {
  const auto is_side = [](Column column) { return column == Column::source || column == Column::target; };
  while (!columns.empty() && !is_side(columns.back())) columns.pop_back();
  for (Column& column : columns) column = is_side(column) ? column : Column::skip;
  PairReader reader = from_columns(path, job, std::move(columns));
  reader.has_more_columns_ = true;
  return reader;
}

PairReader PairReader::target_alone(const std::string& path, std::optional<std::size_t> most,
                                    const JobContext& job) {
  PairReader reader;
  reader.target_.emplace(path, CarriageReturn::drop, most, job);
  return reader;
}

void PairReader::read_alignment(const std::string& path, const JobContext& job) {
  alignment_.emplace(path, CarriageReturn::drop, std::nullopt, job);
}

void PairReader::read_weights(const std::string& path, const JobContext& job) {
  weights_.emplace(path, CarriageReturn::drop, std::nullopt, job);
}

void PairReader::restrict_to(std::int64_t first, std::int64_t last) {
  for (auto* file : {&source_, &target_, &alignment_, &weights_}) {
    if (*file) (*file)->restrict_to(first, last);
  }
}

bool PairReader::next(LinePair& pair) {
  const bool has_pair = next_sides(pair);
  next_beside(alignment_, "alignments", has_pair, pair.alignment);
  next_beside(weights_, "weights", has_pair, pair.weights);
  return has_pair;
}

void PairReader::next_beside(std::optional<TextReader>& file, std::string_view name, bool has_pair,
                             std::string& line) {
  if (!file || file->next(line) == has_pair) return;
  for (LinePair rest; next_sides(rest) || file->next(line);) continue;
  throw Error("'{}' has {}, but '{}' has {}; {} need one line per pair", source_name(),
              count_of(pairs(), "line"), file->name(), file->line_number(), name);
}

bool PairReader::next_sides(LinePair& pair) {
  if (!target_) return next_columns(pair);
  if (!source_) return target_->next(pair.target);
  const bool has_source = source_->next(pair.source), has_target = target_->next(pair.target);
  if (has_source == has_target) return has_source;
  while (source_->next(pair.source) || target_->next(pair.target)) continue;
  throw Error("'{}' has {}, but '{}' has {}; parallel text needs the same number of lines on both sides",
              source_->name(), count_of(source_->line_number(), "line"), target_->name(),
              target_->line_number());
}

std::string PairReader::columns_text() const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool is_skipped = columns_[i] == Column::skip;
    text += i == 0 ? "" : i + 1 == columns_.size() ? " and " : ", ";
    text += is_skipped ? "a column to skip" : fmt::format("the {}", nmt::name_of(columns_[i]));
  }
  return text;
}

bool PairReader::next_columns(LinePair& pair) {
  if (!source_->next(line_)) return false;
  const auto tabs = std::count(line_.begin(), line_.end(), '\t');
  const auto expected = std::ssize(columns_) - 1;
  if (has_more_columns_ ? tabs < expected : tabs != expected) {
    throw Error("'{}', line {}: {}; a line must have {}, separated by tabs", source_->name(),
                source_->line_number(), count_of(tabs + 1, "column"), columns_text());
  }
  std::string_view rest = line_;
  for (const Column column : columns_) {
    const std::string_view field = rest.substr(0, rest.find('\t'));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    if (column == Column::source) pair.source = field;
    if (column == Column::target) pair.target = field;
    if (column == Column::alignment) pair.alignment = field;
    if (column == Column::weights) pair.weights = field;
  }
  return true;
}

}  // namespace nmt
