// "did you mean": the nearest of the names that exist.
#pragma once

#include <string>
#include <vector>

namespace nmt::cli {

/// `, did you mean 'beam'?` for the name nearest to `word` by edit distance (transpositions count one), or
/// nothing when none is within a third of its length. `-` and `_` count as equal.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace nmt::cli
