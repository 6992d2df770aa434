#include "insight/validation_lines.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"
#include "train/validator.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSteps = 40;
constexpr std::size_t kLongestText = 2000, kLongestSearched = 500;

/// Returns the step of step-00010000.txt.
std::optional<std::int64_t> step_of(const std::string& name) {
  constexpr std::string_view kBefore = "step-", kBehind = ".txt";
  if (!name.starts_with(kBefore) || !name.ends_with(kBehind)) return std::nullopt;
  const char* const end = name.data() + name.size() - kBehind.size();
  std::int64_t step = 0;
  const auto [stopped, error] = std::from_chars(name.data() + kBefore.size(), end, step);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return step;
}

/// Returns the files of translations in a folder by step; of many files, evenly spaced ones including the
/// first and the last.
std::map<std::int64_t, fs::path> files_by_step(const std::string& folder) {
  std::map<std::int64_t, fs::path> all, some;
  std::error_code none;  // a run without validations has no such folder
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (const auto step = step_of(entry.path().filename().string())) all[*step] = entry.path();
  }
  if (all.size() <= kMostSteps) return all;
  std::size_t index = 0;
  for (const auto& file : all) {
    const std::size_t due = some.size() * (all.size() - 1) / (kMostSteps - 1);
    if (index++ == due) some.insert(file);
  }
  return some;
}

/// Returns the lines of one side with these ascending numbers; fewer if the text ends before.
std::vector<std::string> lines_of(PairReader reader, std::string LinePair::*side,
                                  const std::vector<std::int64_t>& numbers, std::size_t longest) {
  std::vector<std::string> lines;
  LinePair pair;
  while (lines.size() < numbers.size() && reader.next(pair)) {
    if (reader.pairs() == numbers[lines.size()]) lines.push_back(cut_short(pair.*side, longest));
  }
  return lines;
}

std::vector<std::string> lines_of(const std::string& path, const std::vector<std::int64_t>& numbers,
                                  std::size_t longest, const JobContext& job) {
  return lines_of(PairReader::target_alone(path, std::nullopt, job), &LinePair::target, numbers, longest);
}

std::int64_t count_lines(const std::string& path, const JobContext& job) {
  TextReader reader(path, CarriageReturn::keep, std::nullopt, job);
  for (std::string line; reader.next(line);) {
  }
  return reader.line_number();
}

}  // namespace

void ValidationLines::choose(const std::string& file) {
  count_ = count_lines(file, job_);
  if (numbers_.empty()) {
    for (const std::int64_t number : sample_lines(count_)) numbers_.push_back(number + 1);
  }
  std::ranges::sort(numbers_);
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  if (!numbers_.empty() && numbers_.back() > count_) {
    job_.log->warning("'{}' has {}; line {} is left out", file, count_of(count_, "line"), numbers_.back());
  }
  if (most_searched_ < 1) return;
  const std::int64_t stride = std::max<std::int64_t>((count_ + most_searched_ - 1) / most_searched_, 1);
  searched_.numbers.clear();
  for (std::int64_t number = 1; number <= count_; number += stride) searched_.numbers.push_back(number);
}

void ValidationLines::set_text(ParallelFiles text) {
  has_text_ = has_text_ && files_.text == text;
  files_.text = std::move(text);
}

void ValidationLines::read_text() {
  const ParallelFiles& text = files_.text;
  const auto lines_of_side = [&](const std::string& path, std::string LinePair::*side,
                                 const std::vector<std::int64_t>& numbers, std::size_t longest) {
    return text.tsv ? lines_of(text.open(job_), side, numbers, longest)
                    : lines_of(path, numbers, longest, job_);
  };
  const auto read = [&](const std::optional<std::string>& path, std::string LinePair::*side,
                        std::vector<std::string>& lines, std::vector<std::string>& searched) {
    lines.clear();
    searched.clear();
    if (!path) return;
    try {
      lines = lines_of_side(*path, side, numbers_, kLongestText);
      searched = lines_of_side(*path, side, searched_.numbers, kLongestSearched);
    } catch (const Error& error) {
      job_.log->verbose("translations are shown without '{}': {}", *path, error.what());
    }
  };
  read(text.tsv ? text.tsv : text.source, &LinePair::source, sources_, searched_.sources);
  read(text.tsv ? text.tsv : text.target, &LinePair::target, references_, searched_.references);
  has_text_ = true;
}

void ValidationLines::refresh() {
  const std::map<std::int64_t, fs::path> files = files_by_step(files_.folder);
  std::erase_if(steps_, [&](const auto& step) { return !files.contains(step.first); });
  if (files.empty()) return;
  if (!has_text_) {
    choose(files.begin()->second.string());
    read_text();
  }
  for (const auto& [step, path] : files) {
    std::error_code gone;  // a run may start again meanwhile
    const fs::file_time_type written = fs::last_write_time(path, gone);
    const auto known = steps_.find(step);
    if (gone || (known != steps_.end() && known->second.written == written)) continue;
    steps_[step] = {.written = written, .texts = lines_of(path.string(), numbers_, kLongestText, job_)};
    if (step == files.rbegin()->first) {
      searched_.texts = lines_of(path.string(), searched_.numbers, kLongestSearched, job_);
    }
  }
}

nlohmann::ordered_json ValidationLines::searched() const {
  // A text that is shorter than the translations does not belong to them.
  const auto whole = [this](const std::vector<std::string>& lines) {
    return lines.size() == searched_.numbers.size() ? lines : std::vector<std::string>();
  };
  return {{"step", steps_.empty() ? 0 : steps_.rbegin()->first},
          {"of", count_},
          {"numbers", searched_.numbers},
          {"sources", whole(searched_.sources)},
          {"references", whole(searched_.references)},
          {"texts", whole(searched_.texts)}};
}

nlohmann::ordered_json ValidationLines::data() const {
  auto steps = nlohmann::ordered_json::array(), lines = nlohmann::ordered_json::array();
  for (const auto& [step, translations] : steps_) steps.push_back(step);
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    nlohmann::ordered_json line = {{"number", numbers_[i]}};
    if (i < sources_.size()) line["source"] = sources_[i];
    if (i < references_.size()) line["reference"] = references_[i];
    bool has_text = false;
    for (const auto& [step, translations] : steps_) {
      has_text |= i < translations.texts.size();
      line["texts"].push_back(i < translations.texts.size() ? translations.texts[i] : "");
    }
    if (has_text) lines.push_back(std::move(line));
  }
  return {{"steps", steps}, {"lines", lines}, {"searched", searched()}};
}

}  // namespace nmt
