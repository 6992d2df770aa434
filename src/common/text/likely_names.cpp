#include "common/text/likely_names.h"

#include "common/text/spelling.h"

namespace nmt {
namespace {

/// Returns the names that have `word` between dashes.
std::vector<std::string> names_with_part(const std::string& word, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (("-" + dashed(name) + "-").find("-" + dashed(word) + "-") != std::string::npos) found.push_back(name);
  }
  return found;
}

}  // namespace

std::vector<std::string> likely_names(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kShortestPart = 3, kMost = 4;
  const std::string best = nearest(word, names);
  if (!best.empty()) return {best};
  if (word.size() < kShortestPart) return {};
  std::vector<std::string> found = names_with_part(word, names);
  if (found.size() > kMost) found.clear();
  return found;
}

std::string did_you_mean_any(const std::string& word, const std::vector<std::string>& names,
                             const std::string& before) {
  std::string text;
  const std::vector<std::string> likely = likely_names(word, names);
  for (std::size_t i = 0; i < likely.size(); ++i) {
    if (i > 0) text += i + 1 == likely.size() ? " or " : ", ";
    text += "'" + before + likely[i] + "'";
  }
  return text.empty() ? "" : ", did you mean " + text + "?";
}

}  // namespace nmt
