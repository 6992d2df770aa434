#include "insight/run_progress.h"

#include <algorithm>

#include "common/text/number.h"
#include "common/text/spelling.h"
#include "insight/metrics_reader.h"

namespace nmt {
namespace {

std::string setting_text(const RunConfiguration& configuration, const std::string& name) {
  const auto found = configuration.find(name);
  return found == configuration.end() ? "" : found->second;
}

/// Returns a setting that is a whole number; 0 for anything else.
std::int64_t whole_setting(const RunConfiguration& configuration, const std::string& name) {
  return std::max<std::int64_t>(number_of<std::int64_t>(setting_text(configuration, name)).value_or(0), 0);
}

Limits limits_of(const RunConfiguration& configuration) {
  TrainingSettings settings;
  settings.steps = whole_setting(configuration, "steps");
  settings.epochs = whole_setting(configuration, "epochs");
  settings.early_stopping = whole_setting(configuration, "early-stopping");
  settings.stop_after =
      parse_interval(setting_text(configuration, "stop-after")).value_or(settings.stop_after);
  return Limits(settings);
}

std::string figure_of_best(const RunConfiguration& configuration) {
  const std::string figure = setting_text(configuration, "best-by");
  return std::ranges::count(validation_figures(), figure) > 0 ? figure : TrainingSettings().best_by;
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace

void PassLength::add(std::int64_t epoch, std::int64_t target_tokens) {
  if (epoch < 1 || target_tokens < 1) return;
  const auto tokens = static_cast<double>(target_tokens), passes = static_cast<double>(epoch);
  least_ = std::max(least_, tokens / passes);
  if (epoch > 1) most_ = std::min(most_.value_or(tokens / (passes - 1)), tokens / (passes - 1));
}

std::optional<double> PassLength::value() const {
  return most_ ? std::optional((least_ + *most_) / 2) : std::nullopt;
}

RunProgress::RunProgress(const RunConfiguration& configuration)
    : limits_(limits_of(configuration)), best_by_(figure_of_best(configuration)), best_(best_by_, 1) {}

void RunProgress::add(const nlohmann::ordered_json& line) {
  // Counters only grow, even if a line lacks them.
  last_.updates = std::max(last_.updates, whole_number_of(line, "step"));
  last_.target_tokens = std::max(last_.target_tokens, whole_number_of(line, "target_tokens"));
  last_.minutes = std::max(last_.minutes, number_of(line, "seconds").value_or(0) / 60);
  pass_.add(whole_number_of(line, "epoch"), last_.target_tokens);
  const auto event = line.find("event");
  if (event == line.end() || *event != "valid") return;
  if (const auto figure = number_of(line, best_by_.c_str()))
    best_.add(whole_number_of(line, "step"), *figure);
}

std::optional<double> RunProgress::tokens_per_pass(const std::optional<TrainingState>& state) const {
  if (const auto told = pass_.value()) return told;
  if (!state || !(state->epochs > 0)) return std::nullopt;
  return static_cast<double>(state->counters.target_tokens) / state->epochs;
}

Progress RunProgress::now(const std::optional<TrainingState>& state) const {
  Progress now = last_;
  if (state && state->counters.step >= last_.updates) {
    now.updates = state->counters.step;
    now.target_tokens = state->counters.target_tokens;
    now.minutes = std::max(now.minutes, state->meter.seconds / 60);
    now.epochs = state->epochs;
  } else if (const auto tokens = tokens_per_pass(state)) {
    now.epochs = static_cast<double>(now.target_tokens) / *tokens;
  }
  return now;
}

nlohmann::ordered_json RunProgress::data(std::optional<bool> in_use,
                                         const std::optional<TrainingState>& state) const {
  const Progress progress = now(state);
  const std::string limit = limits_.reached(progress, state ? state->stalled : best_.stalled());
  const bool is_complete = !limit.empty() && !(state && state->validation_due);
  const double part = limits_.part_done(progress);
  const char* name = "unknown";
  if (in_use.value_or(false)) {
    name = "training";
  } else if (is_complete) {
    name = "finished";
  } else if (in_use) {
    name = "stopped";
  }
  std::optional<double> left;
  if (in_use.value_or(false) && part > 0) left = 60 * progress.minutes * (1 / part - 1);
  const bool is_finished = name == std::string_view("finished");
  nlohmann::ordered_json data = {
      {"state", name},
      {"limit", is_finished ? nlohmann::ordered_json(with_options(limit)) : nullptr},
      {"part", part > 0 ? nlohmann::ordered_json(part) : nlohmann::ordered_json()},
      {"left", or_null(left)},
      {"tokens_per_pass", or_null(tokens_per_pass(state))},
      {"best", nullptr}};
  if (!best_.entries().empty()) {
    const BestValidations::Entry& best = best_.entries().front();
    data["best"] = {{"figure", best_by_}, {"step", best.step}, {"value", best.value}};
  }
  return data;
}

}  // namespace nmt
