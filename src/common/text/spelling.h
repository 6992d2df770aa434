// How names are spelled: dashes and underscores, "did you mean", and texts quoted in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// The name as the command line writes it (d-model).
std::string dashed(std::string name);

/// The name as YAML writes it (d_model).
std::string underscored(std::string name);

/// The name in small letters (of ASCII) and with dashes, so that "BF16" and "transformer_base" are found.
std::string comparable(std::string name);

/// `a, b, c`.
std::string join(const std::vector<std::string>& texts, std::string_view separator);

/// The parts of `a,b,c`.
std::vector<std::string> split_at_commas(const std::string& list);

/// The text in single quotes, fit for a message of one line: control characters become blanks, bytes that are
/// no UTF-8 U+FFFD, and what is long is truncated.
std::string quoted(std::string text);

/// The name nearest to `word` by edit distance (transpositions count one), empty when none is within a third
/// of its length and it is not a part of a single one ("tiny" of "transformer-tiny"). `-` and `_` count as
/// equal.
std::string nearest(const std::string& word, const std::vector<std::string>& names);

/// `, did you mean 'beam'?` for the nearest name, or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace nmt
