// Validation: the figures of a model on data that it was not trained on.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "optim/update.h"
#include "train/meter.h"

namespace nmt {

struct Validation {
  LossSum loss;
  LossKind kind = LossKind::tokens;
  std::vector<std::string> translations;  // of all lines; empty if not wanted
  std::vector<Score> scores;              // one for each metric
  std::vector<std::string> metrics;       // names of the metrics, in the same order
  std::optional<double> command;          // result of command_figure() for the translations

  /// Returns one of validation_figures(); nothing if it was not measured.
  std::optional<double> figure(const std::string& name) const;
  /// Returns a `valid` line of metrics.jsonl, made after `seconds` of the run.
  nlohmann::ordered_json report(const Counters& counters, double seconds) const;
  /// Formats the figures for people.
  std::string text() const;
};

}  // namespace nmt
