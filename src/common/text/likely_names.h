// Suggestions of names, where several may be meant.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// The names that somebody may have meant by `word`: the nearest one, or else those that have it as a part
/// where they are few ("transformer-tiny" and "student-tiny" for "tiny").
std::vector<std::string> likely_names(const std::string& word, const std::vector<std::string>& names);

/// `, did you mean 'a', 'b' or 'c'?` for the likely names, with `before` in front of each, or nothing.
std::string did_you_mean_any(const std::string& word, const std::vector<std::string>& names,
                             const std::string& before = "");

}  // namespace nmt
