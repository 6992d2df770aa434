#include "documents/messages/keys.h"

#include <algorithm>
#include <boost/algorithm/string.hpp>

namespace nmt {

bool matches_key(const std::vector<std::string>& patterns, const std::vector<std::string>& keys) {
  const auto split = [](const std::string& text) {
    std::vector<std::string> parts;
    boost::algorithm::split(parts, text, [](char c) { return c == '.'; });
    return parts;
  };
  const std::vector<std::string> whole = keys.empty() ? keys : split(boost::algorithm::join(keys, "."));
  const auto matches = [&](const std::string& pattern) {
    const std::vector<std::string> parts = split(pattern);
    if (parts.size() > whole.size()) return false;
    return std::equal(
        parts.begin(), parts.end(), whole.end() - static_cast<std::ptrdiff_t>(parts.size()),
        [](const std::string& part, const std::string& key) { return part == "*" || part == key; });
  };
  return patterns.empty() || std::ranges::any_of(patterns, matches);
}

}  // namespace nmt
