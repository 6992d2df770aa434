// Lists of metrics as settings.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace nmt {

/// Adds a setting whose values are metric names, several separated by commas. `names`, `help`: see
/// Options::add; the known metrics, and `more` of them, are appended to the help.
Option& add_metric_list(Options& options, const std::string& names, std::vector<std::string>& target,
                        const std::string& help, const std::vector<std::string>& more = {});

/// Splits a comma-separated list of names, in lower case.
std::vector<std::string> metrics_in(const std::string& list);

/// Returns the metrics that the values of a setting name, each once, in order. `more`: metrics in addition to
/// metric_names(). Throws UsageError for an unknown metric.
std::vector<std::string> metric_list(const Options& options, const std::string& name,
                                     const std::vector<std::string>& values,
                                     const std::vector<std::string>& more = {});

}  // namespace nmt
