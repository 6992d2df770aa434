// Lists of metrics as settings.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace nmt {

/// Adds a setting whose values are names of metrics, or several separated by commas. `names`, `help`: see
/// Options::add; the help is completed by the names that there are.
Option& add_metric_list(Options& options, const std::string& names, std::vector<std::string>& target,
                        const std::string& help);

/// The names in a list separated by commas, in small letters.
std::vector<std::string> metrics_in(const std::string& list);

/// The metrics that the values of that setting name, each once, in their order. Throws UsageError for a name
/// that there is not.
std::vector<std::string> metric_list(const Options& options, const std::string& name,
                                     const std::vector<std::string>& values);

}  // namespace nmt
