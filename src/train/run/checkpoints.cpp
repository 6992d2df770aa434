#include "train/run/checkpoints.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"
#include "metrics/metric.h"
#include "train/run/run_directory.h"

namespace nmt {

const std::vector<std::string>& validation_figures() {
  static const std::vector<std::string> figures = [] {
    std::vector<std::string> names = {"perplexity", "loss"};
    std::ranges::move(metric_names(), std::back_inserter(names));
    std::ranges::copy(model_metric_names(), std::back_inserter(names));
    names.insert(names.end(), {kCommandFigure, kKendallFigure, kPearsonFigure});
    return names;
  }();
  return figures;
}

bool is_correlation(const std::string& figure) {
  return figure == kKendallFigure || figure == kPearsonFigure;
}

bool is_metric(const std::string& figure) {
  return needs_model(figure) || std::ranges::count(metric_names(), figure) > 0;
}

BestValidations::BestValidations(const std::string& figure, std::int64_t keep, std::vector<Entry> entries,
                                 std::int64_t stalled)
    : more_is_better_(figure == kCommandFigure || is_correlation(figure) ||
                      (is_metric(figure) && !less_is_better(figure))),
      keep_(static_cast<std::size_t>(std::max<std::int64_t>(keep, 1))),
      entries_(std::move(entries)),
      stalled_(stalled) {}

bool BestValidations::add(std::int64_t step, double value) {
  if (!std::isfinite(value)) {
    ++stalled_;
    return false;
  }
  const auto better = [this](const Entry& a, const Entry& b) {
    return more_is_better_ ? a.value > b.value : a.value < b.value;
  };
  const Entry entry{step, value};
  const auto place = std::upper_bound(entries_.begin(), entries_.end(), entry, better);
  stalled_ = place == entries_.begin() ? 0 : stalled_ + 1;
  const bool among_the_best = static_cast<std::size_t>(place - entries_.begin()) < keep_;
  entries_.insert(place, entry);
  if (entries_.size() > keep_) entries_.resize(keep_);
  return among_the_best;
}

namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

/// Calls take(step, figures) for each validation in metrics.jsonl. Ignores lines that are not valid JSON: the
/// last line may be incomplete if training was killed.
template <class Take>
void for_each_validation(const std::string& directory, Take take) {
  for (const std::string& line : read_lines(RunDirectory::metrics_path(directory))) {
    const auto entry = Json::parse(line, nullptr, false);
    if (!entry.is_object() || entry.value("event", Json()) != "valid") continue;
    const auto step = entry.find("step");
    if (step != entry.end() && step->is_number_integer()) take(step->template get<std::int64_t>(), entry);
  }
}

/// Returns the values of a figure by step.
std::map<std::int64_t, double> validations(const std::string& directory, const std::string& figure) {
  std::map<std::int64_t, double> values;
  for_each_validation(directory, [&](std::int64_t step, const Json& entry) {
    const auto value = entry.find(figure);
    if (value != entry.end() && value->is_number()) values[step] = value->get<double>();
  });
  return values;
}

/// Returns a figure at `step`, linearly interpolated between the validations before and after it.
double interpolated(const std::map<std::int64_t, double>& values, std::int64_t step) {
  const auto after = values.lower_bound(step);
  if (after == values.end()) return values.rbegin()->second;
  if (after->first == step || after == values.begin()) return after->second;
  const auto before = std::prev(after);
  const double part =
      static_cast<double>(step - before->first) / static_cast<double>(after->first - before->first);
  return before->second + part * (after->second - before->second);
}

/// Whether a value is close to the best one: worse by at most a tenth for perplexity, a twentieth for others.
bool is_close(double value, double best, const std::string& figure) {
  const double tolerance = figure == "perplexity" ? 0.1 : 0.05;
  return std::abs(value - best) <= tolerance * std::abs(best);
}

/// Returns the values of a figure by step; none if there is no metrics.jsonl.
std::map<std::int64_t, double> validations_if_any(const std::string& directory, const std::string& figure) {
  std::error_code ignored;  // a file that cannot be accessed counts as missing
  if (!fs::exists(RunDirectory::metrics_path(directory), ignored)) return {};
  return validations(directory, figure);
}

/// Removes checkpoints that are not close to the best validation. Without validations all stay.
void keep_close(std::vector<Checkpoint>& checkpoints, const std::string& directory,
                const std::string& figure) {
  const std::map<std::int64_t, double> values = validations_if_any(directory, figure);
  BestValidations best(figure, 1);
  for (const auto& [step, value] : values) best.add(step, value);
  if (best.entries().empty()) return;
  std::erase_if(checkpoints, [&](const Checkpoint& c) {
    return !is_close(interpolated(values, c.step), best.entries().front().value, figure);
  });
}

/// Returns the checkpoints, from index `first` on, spaced approximately by the distance of `first` and
/// `second`: intervals in minutes vary by a few updates.
std::vector<Checkpoint> evenly_spaced(const std::vector<Checkpoint>& checkpoints, std::size_t first,
                                      std::size_t second) {
  const std::int64_t distance = checkpoints[second].step - checkpoints[first].step;
  std::vector<Checkpoint> series = {checkpoints[first], checkpoints[second]};
  for (std::size_t i = second + 1; i < checkpoints.size(); ++i) {
    const std::int64_t off = checkpoints[i].step - (series.back().step + distance);
    if (5 * std::abs(off) <= distance) series.push_back(checkpoints[i]);
  }
  return series;
}

/// Throws Error if there are too few checkpoints; `kind` describes them, `remedy` says what to do.
void check_count(std::size_t found, std::size_t wanted, const std::string& directory, const std::string& kind,
                 const std::string& remedy =
                     "ask for fewer, or train with a smaller `save_every` or a larger `keep_last`") {
  if (found >= wanted) return;
  if (found == 0 && kind.empty())
    throw Error("'{}' has no checkpoint yet; continue the training first, or name last.safetensors itself",
                directory);
  throw Error("'{}' holds {}{}, not {}; {}", directory,
              count_of(static_cast<std::int64_t>(found), "checkpoint"), kind, wanted, remedy);
}

}  // namespace

std::optional<std::int64_t> checkpoint_step(std::string_view name) {
  constexpr std::string_view kBefore = "step-", kAfter = ".safetensors";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return std::nullopt;
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kAfter.size());
  return number_of<std::int64_t>(name);
}

std::string checkpoint_named_by(const std::string& path) {
  std::error_code ignored;
  for (const std::string& file : entries_of(parent_folder(path))) {
    const bool is_checkpoint = checkpoint_step(fs::path(file).filename().string()).has_value();
    if (is_checkpoint && fs::equivalent(file, path, ignored)) return file;
  }
  return path;
}

std::vector<Checkpoint> checkpoints_in(const std::string& directory) {
  std::vector<Checkpoint> checkpoints;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      if (const auto step = checkpoint_step(name)) checkpoints.push_back({*step, entry.path().string()});
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot read the run directory '{}': {}", directory, error.code().message());
  }
  std::sort(checkpoints.begin(), checkpoints.end(),
            [](const Checkpoint& a, const Checkpoint& b) { return a.step < b.step; });
  return checkpoints;
}

std::vector<Checkpoint> newest_checkpoints(const std::string& directory, std::size_t count) {
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  check_count(checkpoints.size(), count, directory, "");
  checkpoints.erase(checkpoints.begin(), checkpoints.end() - static_cast<std::ptrdiff_t>(count));
  return checkpoints;
}

std::vector<Checkpoint> best_checkpoints(const std::string& directory, std::size_t count,
                                         const std::string& figure) {
  const std::map<std::int64_t, double> values = validations(directory, figure);
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  std::erase_if(checkpoints, [&](const Checkpoint& c) { return !values.contains(c.step); });
  const std::string kind = " validated by " + figure;
  if (values.empty()) {
    const char* const remedy =
        is_metric(figure)          ? "ask by another figure, or train with it among `valid_metrics`"
        : figure == kCommandFigure ? "ask by another figure, or train with `valid_command`"
                                   : "ask for the `last` ones, or train with a validation text";
    check_count(0, count, directory, kind, remedy);
  }
  check_count(checkpoints.size(), count, directory, kind);
  BestValidations best(figure, static_cast<std::int64_t>(count));
  for (const Checkpoint& checkpoint : checkpoints) best.add(checkpoint.step, values.at(checkpoint.step));
  std::set<std::int64_t> chosen;
  for (const BestValidations::Entry& entry : best.entries()) chosen.insert(entry.step);
  std::erase_if(checkpoints, [&](const Checkpoint& c) { return !chosen.contains(c.step); });
  return checkpoints;
}

std::optional<Checkpoint> best_checkpoint(const std::string& directory, const std::string& figure) {
  const std::map<std::int64_t, double> values = validations_if_any(directory, figure);
  const std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  BestValidations best(figure, 1);
  for (const Checkpoint& checkpoint : checkpoints) {
    if (const auto value = values.find(checkpoint.step); value != values.end())
      best.add(checkpoint.step, value->second);
  }
  if (best.entries().empty()) return std::nullopt;
  return *std::ranges::find(checkpoints, best.entries().front().step, &Checkpoint::step);
}

std::vector<Checkpoint> checkpoints_to_average(const std::string& directory, const std::string& figure) {
  constexpr std::size_t kMost = 10;
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  if (checkpoints.empty()) return {};
  const std::int64_t newest = checkpoints.back().step;
  std::erase_if(checkpoints, [newest](const Checkpoint& c) { return 2 * c.step < newest; });
  keep_close(checkpoints, directory, figure);
  std::vector<Checkpoint> longest;
  for (std::size_t first = 0; first < checkpoints.size(); ++first) {
    for (std::size_t second = first + 1; second < checkpoints.size(); ++second) {
      std::vector<Checkpoint> series = evenly_spaced(checkpoints, first, second);
      if (longest.empty() || series.size() > longest.size() ||
          (series.size() == longest.size() && series.back().step > longest.back().step))
        longest = std::move(series);
    }
  }
  if (longest.size() > kMost) longest.erase(longest.begin(), longest.end() - kMost);
  return longest;
}

std::vector<Checkpoint> checkpoints_best_first(const std::string& directory, const std::string& figure) {
  std::vector<Checkpoint> checkpoints = checkpoints_in(directory);
  std::ranges::reverse(checkpoints);
  const std::map<std::int64_t, double> values = validations_if_any(directory, figure);
  if (values.empty()) return checkpoints;
  BestValidations ranking(figure, std::ssize(checkpoints));
  for (const Checkpoint& checkpoint : checkpoints)
    ranking.add(checkpoint.step, interpolated(values, checkpoint.step));
  std::vector<Checkpoint> ranked;
  for (const BestValidations::Entry& entry : ranking.entries())
    ranked.push_back(*std::ranges::find(checkpoints, entry.step, &Checkpoint::step));
  return ranked;
}

std::optional<nlohmann::ordered_json> validation_of(const std::string& directory, std::int64_t step) {
  std::error_code ignored;  // a file that cannot be accessed counts as missing
  if (!fs::exists(RunDirectory::metrics_path(directory), ignored)) return std::nullopt;
  std::optional<Json> found;
  for_each_validation(directory, [&](std::int64_t validated, const Json& entry) {
    if (validated == step) found = entry;
  });
  return found;
}

}  // namespace nmt
