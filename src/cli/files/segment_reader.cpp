#include "cli/files/segment_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/program.h"
#include "common/error.h"
#include "common/text/number.h"
#include "metrics/words.h"

namespace nmt {
namespace {

/// Splits `text` at separators into at most `most` pieces, including empty ones; the last one has the rest.
std::vector<std::string> split(std::string_view text, char separator, std::size_t most = std::string::npos) {
  std::vector<std::string> pieces;
  for (std::size_t end = text.find(separator); end != std::string_view::npos && pieces.size() + 1 < most;
       end = text.find(separator)) {
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  pieces.emplace_back(text);
  return pieces;
}

}  // namespace

SegmentReader::Lines::Lines(const std::string& path, bool universal)
    : reader_(path, CarriageReturn::keep, std::nullopt, program_job()), universal_(universal) {}

bool SegmentReader::Lines::next(std::string& line) {
  if (!read(line)) return false;
  ++count_;
  if (line.size() > kLongestSegment) {
    throw Error(
        "'{}', line {}: longer than {} MiB; each line is one segment, so give texts with one sentence per "
        "line",
        name(), count_, kLongestSegment >> 20);
  }
  line.resize(strip_end(line).size());
  return true;
}

bool SegmentReader::Lines::read(std::string& line) {
  if (!universal_) return reader_.next(line);
  if (pieces_.empty()) {
    if (!reader_.next(line)) return false;
    if (line.ends_with('\r')) line.pop_back();
    for (std::string& piece : split(line, '\r')) pieces_.push_back(std::move(piece));
  }
  line = std::move(pieces_.front());
  pieces_.pop_front();
  return true;
}

void SegmentReader::Lines::read_rest() {
  for (std::string line; next(line);) {
  }
}

SegmentReader::SegmentReader(const SegmentSources& sources)
    : columns_(sources.columns), from_stream_(sources.systems.empty()), systems_(sources.systems) {
  for (const std::string& path : sources.references) references_.emplace_back(path, false);
  for (const std::string& path : sources.systems) hypotheses_.emplace_back(path, false);
  if (sources.source) source_.emplace_back(*sources.source, false);
  if (from_stream_) hypotheses_.emplace_back("-", true);
  if (next_hypotheses(first_)) {
    if (!from_stream_) return;
    systems_ = {hypotheses_[0].name()};
    if (first_.size() > 1) systems_.clear();
    while (systems_.size() < first_.size()) systems_.push_back(fmt::format("System {}", systems_.size() + 1));
    return;
  }
  for (const Lines& lines : hypotheses_) {
    if (lines.count() == 0 && !from_stream_)
      throw Error("'{}' is empty; there is nothing to score", lines.name());
  }
  throw Error("standard input is empty; redirect a hypothesis: nmt bleu reference < hypothesis");
}

bool SegmentReader::next(Segment& segment) {
  const bool has_hypotheses = is_first_ || next_hypotheses(segment.hypotheses);
  if (is_first_) segment.hypotheses = std::move(first_);
  is_first_ = false;
  const bool has_references = references_.empty() ? has_hypotheses : next_references(segment.references);
  const bool has_source = source_.empty() ? has_hypotheses : source_[0].next(segment.source);
  const auto differs = [this](const Lines& lines) { return lines.count() != hypotheses_[0].count(); };
  if (has_hypotheses != has_references || has_hypotheses != has_source ||
      std::ranges::any_of(hypotheses_, differs) || std::ranges::any_of(references_, differs) ||
      std::ranges::any_of(source_, differs)) {
    fail_of_unequal_length();
  }
  return has_hypotheses;
}

/// Reads the next hypothesis of each system; returns false if one of them is at its end.
bool SegmentReader::next_hypotheses(std::vector<std::string>& hypotheses) {
  std::vector<std::string> lines(hypotheses_.size());
  bool has_all = true;
  for (std::size_t i = 0; i < lines.size(); ++i) has_all &= hypotheses_[i].next(lines[i]);
  if (!has_all) return false;
  hypotheses = from_stream_ ? split(lines[0], '\t') : std::move(lines);
  if (systems_.empty() || hypotheses.size() == systems_.size()) return true;
  throw Error(
      "{}, line {}: {} separated by tabs, but line 1 has {}; a column is a system here: remove the tabs or "
      "name the file with -i",
      hypotheses_[0].name(), hypotheses_[0].count(), count_of(std::ssize(hypotheses), "column"),
      systems_.size());
}

bool SegmentReader::next_references(std::vector<std::string>& references) {
  references.clear();
  bool has_all = true;
  std::string line;
  for (Lines& lines : references_) {
    if (!lines.next(line)) {
      has_all = false;
      continue;
    }
    std::vector<std::string> columns = columns_ == 1 ? std::vector{line} : split(line, '\t', columns_);
    if (columns.size() != columns_) {
      throw Error("{}, line {}: {} separated by tabs, not {}; every line needs all references", lines.name(),
                  lines.count(), count_of(std::ssize(columns), "reference"), columns_);
    }
    std::ranges::move(columns, std::back_inserter(references));
  }
  return has_all;
}

void SegmentReader::fail_of_unequal_length() {
  for (auto* texts : {&hypotheses_, &references_, &source_}) {
    for (Lines& lines : *texts) lines.read_rest();
  }
  for (const auto& [texts, kind] : {std::pair{&references_, "reference"}, std::pair{&source_, "source"}}) {
    for (const Lines& text : *texts) {
      for (const Lines& hypothesis : hypotheses_) {
        if (text.count() == hypothesis.count()) continue;
        throw Error("the {} '{}' has {}, the hypothesis '{}' has {}; both must be of the same segments", kind,
                    text.name(), count_of(text.count(), "line"), hypothesis.name(), hypothesis.count());
      }
    }
  }
  throw Error("texts changed while they were read");
}

}  // namespace nmt
