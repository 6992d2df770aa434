// The output of nmt bleu.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace nmt {

/// The score of one system by one metric.
struct Verdict {
  Score score;
  std::optional<double> p_value;  // of a test against the baseline
};

/// A system, with a verdict by each metric.
struct SystemVerdicts {
  std::string name;
  std::vector<Verdict> verdicts;
};

/// The settings of a report.
struct ReportSettings {
  int width = 1;  // digits of scores
  bool score_only = false, json = false;
  std::string test;  // the paired test, whose baseline is the first system; empty: none
};

/// Returns the scores of whole texts, with sacrebleu's names and digits. For one system, prints one line per
/// metric with aligned equals signs, or a JSON object (a list of objects for several metrics). For several
/// systems, prints a table followed by the signatures, or a JSON list of objects. With scores only, prints
/// one line per metric for one system, or one line per system, with columns separated by tabs, for several.
std::string corpus_report(const std::vector<SystemVerdicts>& systems, const ReportSettings& settings);

/// Returns a score with its confidence and p-value, if there are any, as in a table of systems.
std::string cell(const Verdict& verdict, const ReportSettings& settings);
/// Returns the line that explains p-values; `baseline`: the first system. Without a line end.
std::string about_p_values(const ReportSettings& settings, const std::string& baseline);

/// Returns one line for a segment: the verdicts of all metrics separated by tabs, or JSON as in
/// corpus_report() on one line.
std::string segment_report(const std::vector<Score>& scores, const ReportSettings& settings);

}  // namespace nmt
