#include "nn/weights/freezing.h"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>

#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Returns "a", "a.b" and "a.b.c" for "a.b.c".
std::vector<std::string> names_of(const Parameter& parameter) {
  std::vector<std::string> names;
  for (std::size_t dot = parameter.name.find('.'); dot != std::string::npos;
       dot = parameter.name.find('.', dot + 1)) {
    names.push_back(parameter.name.substr(0, dot));
  }
  names.push_back(parameter.name);
  return names;
}

}  // namespace

std::set<std::string> frozen_parameters(const Parameters& parameters,
                                        const std::vector<std::string>& patterns) {
  std::set<std::string> frozen;
  for (const std::string& pattern : patterns) {
    std::set<std::string> all;
    bool has_match = false;
    for (const Parameters::Entry& entry : parameters.entries()) {
      const std::vector<std::string> names = names_of(entry.parameter);
      all.insert(names.begin(), names.end());
      const auto matches = [&](const std::string& name) {
        return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
      };
      if (!std::ranges::any_of(names, matches)) continue;
      frozen.insert(entry.parameter.name);
      has_match = true;
    }
    if (has_match) continue;
    std::vector<std::string> parts;
    for (const auto& [part, count] : parameters.count_by_part()) parts.push_back(part);
    throw UsageError("`freeze`: the model has no part and no weight {}{}; its parts are {}", quoted(pattern),
                     did_you_mean(pattern, {all.begin(), all.end()}), fmt::join(parts, ", "));
  }
  if (frozen.size() == parameters.entries().size())
    throw UsageError("`freeze`: there is nothing left to train; leave some part of the model out");
  return frozen;
}

}  // namespace nmt
