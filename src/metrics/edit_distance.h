// The edit distance of TER: insertions, deletions and substitutions of words, near the diagonal only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "metrics/ngrams.h"

namespace nmt {

/// One step from the beginning of both texts to their end.
enum class Edit { keep, substitute, remove, insert };

/// The distances of hypotheses of one length to a reference. Of the matrix of distances of beginnings, row i
/// for the first i words of the hypothesis, those cells count that are within 25 of i x reference /
/// hypothesis (more where that ratio is above 50), in the last row all above.
class EditDistance {
 public:
  EditDistance(std::span<const std::uint32_t> reference, std::size_t hypothesis_length);

  /// The distance of this hypothesis, which others are then compared with.
  int set(const Symbols& hypothesis);

  /// The edits that make the reference of the hypothesis that was set: of equally good ones substitution
  /// before removal before insertion, seen from the end.
  std::vector<Edit> path() const;

  /// The distance of another hypothesis whose first `same` words are those of the one that was set. When it
  /// is above `most`, the result may be any number above.
  int distance(const Symbols& other, std::size_t same, int most);

 private:
  struct Band {
    std::size_t begin, end, offset;  // columns, and where they lie in cells_
  };

  int cell(std::size_t row, std::size_t column) const;
  /// Computes a row into `to` from the row before it at `from`; returns the least distance in it.
  int fill(std::size_t row, std::uint32_t word, const int* from, int* to) const;

  std::span<const std::uint32_t> reference_;
  Symbols hypothesis_;
  std::vector<Band> bands_;
  std::vector<int> cells_, scratch_, next_scratch_;
};

}  // namespace nmt
