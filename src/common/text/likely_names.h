// Suggestions of several names.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Returns the names that `word` may stand for: the nearest one, or else the few that contain it
/// ("transformer-tiny" and "student-tiny" for "tiny").
std::vector<std::string> likely_names(const std::string& word, const std::vector<std::string>& names);

/// Returns `, did you mean 'a', 'b' or 'c'?` for the likely names, with `before` in front of each, or
/// nothing.
std::string did_you_mean_any(const std::string& word, const std::vector<std::string>& names,
                             const std::string& before = "");

}  // namespace nmt
