// Spelling of names: dashes and underscores, suggestions, settings and quoted texts in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Returns the name as on the command line (d-model).
std::string dashed(std::string name);

/// Returns the name as in YAML (d_model).
std::string underscored(std::string name);

/// Returns the name in lower case (ASCII) and with dashes, so that "BF16" and "transformer_base" are found.
std::string comparable(std::string name);

/// Joins texts: `a, b, c`.
std::string join(const std::vector<std::string>& texts, std::string_view separator);

/// Splits `a,b,c` into its parts.
std::vector<std::string> split_at_commas(const std::string& list);

/// Returns the text in single quotes, fit for a one-line message: control characters become spaces, invalid
/// UTF-8 becomes U+FFFD, and long texts are truncated.
std::string quoted(std::string text);

/// Returns the name nearest to `word` by edit distance (a transposition counts as one). Empty if none is
/// within a third of its length, unless exactly one name contains it ("tiny" in "transformer-tiny"). `-` and
/// `_` count as equal.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

/// Returns `, did you mean 'beam'?` for the nearest name, or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

/// Returns the names that `word` may stand for: the nearest one, or else the few that contain it
/// ("transformer-tiny" and "student-tiny" for "tiny").
std::vector<std::string> likely_names(const std::string& word, const std::vector<std::string>& names);

/// Returns `, did you mean 'a', 'b' or 'c'?` for the likely names, with `before` in front of each, or
/// nothing.
std::string did_you_mean_any(const std::string& word, const std::vector<std::string>& names,
                             const std::string& before = "");

/// Rewrites a message for the command line, where settings are options: "raise --max-length".
std::string with_options(std::string_view message);

/// Rewrites a message for JSON, where settings are fields: "raise 'max_length'".
std::string with_fields(std::string_view message);

}  // namespace nmt
