// What nmt bleu prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/score.h"

namespace nmt {

/// What one metric says of a system.
struct Verdict {
  Score score;
  std::optional<double> p_value;  // of a test against the baseline
};

/// A system, with a verdict by each metric.
struct SystemVerdicts {
  std::string name;
  std::vector<Verdict> verdicts;
};

struct ReportSettings {
  int width = 1;  // digits of scores
  bool score_only = false, json = false;
  std::string test;  // the paired test that the first system is the baseline of; empty: there is none
};

/// One system: a line a metric, their equals signs below each other, or a JSON object; of several metrics, a
/// list of them. Several systems: a table with the signatures below, or a JSON list of objects. Scores only:
/// a line a metric of one system, a line a system of several, whose columns are separated by tabs. All with
/// sacrebleu's names and digits.
std::string corpus_report(const std::vector<SystemVerdicts>& systems, const ReportSettings& settings);

/// A line for one segment: the verdicts of all metrics, separated by tabs; JSON as above, in one line.
std::string segment_report(const std::vector<Score>& scores, const ReportSettings& settings);

}  // namespace nmt
