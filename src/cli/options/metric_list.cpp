#include "cli/options/metric_list.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>

#include "common/error.h"
#include "common/text/spelling.h"
#include "metrics/metric.h"

namespace nmt {

namespace {

std::vector<std::string> names_and(const std::vector<std::string>& more) {
  std::vector<std::string> names = metric_names();
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

Option& add_metric_list(Options& options, const std::string& names, std::vector<std::string>& target,
                        const std::string& help, const std::vector<std::string>& more) {
  const std::vector<std::string> known = names_and(more);
  return options.add(names, target, "A,B", fmt::format("{}: {}", help, fmt::join(known, ", ")))
      .elements(known);
}

std::vector<std::string> metrics_in(const std::string& list) {
  return split_at_commas(boost::algorithm::to_lower_copy(list));
}

std::vector<std::string> metric_list(const Options& options, const std::string& name,
                                     const std::vector<std::string>& values,
                                     const std::vector<std::string>& more) {
  const std::vector<std::string> known = names_and(more);
  std::vector<std::string> list;
  for (const std::string& value : values) {
    for (const std::string& metric : metrics_in(value)) {
      if (std::ranges::count(known, metric) == 0) {
        throw UsageError("{}: unknown metric '{}'{}; choose from {}", options.origin(name), metric,
                         did_you_mean(metric, known), fmt::join(known, ", "));
      }
      if (std::ranges::count(list, metric) == 0) list.push_back(metric);
    }
  }
  if (list.empty() && !values.empty()) {
    throw UsageError("{} names no metric; choose from {}", options.origin(name), fmt::join(known, ", "));
  }
  return list;
}

}  // namespace nmt
