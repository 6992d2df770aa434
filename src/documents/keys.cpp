#include "documents/keys.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>

namespace nmt {

bool matches_key(const std::vector<std::string>& patterns, const std::vector<std::string>& keys) {
  const auto matches = [&keys](const std::string& pattern) {
    std::vector<std::string> parts;
    boost::algorithm::split(parts, pattern, [](char c) { return c == '.'; });
    if (parts.size() > keys.size()) return false;
    return std::equal(
        parts.begin(), parts.end(), keys.end() - static_cast<std::ptrdiff_t>(parts.size()),
        [](const std::string& part, const std::string& key) { return part == "*" || part == key; });
  };
  return patterns.empty() || std::ranges::any_of(patterns, matches);
}

}  // namespace nmt
