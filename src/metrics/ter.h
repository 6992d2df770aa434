// TER, the translation edit rate (Snover et al., 2006), as sacrebleu computes it after Tercom.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/ngrams.h"

namespace nmt {

/// One step from the beginning of both texts to their end.
enum class Edit { keep, substitute, remove, insert };

/// Distances of hypotheses of one length to a reference. In the matrix of distances between beginnings, row i
/// is for the first i words of the hypothesis. Only cells within 25 of i x reference / hypothesis are
/// computed (more if that ratio is above 50), and in the last row also all above.
class EditDistance {
 public:
  EditDistance(std::span<const std::uint32_t> reference, std::size_t hypothesis_length);

  /// Sets a hypothesis, to which others are then compared, and returns its distance.
  int set(const Symbols& hypothesis);

  /// Returns the edits from the hypothesis to the reference; among equally good ones, prefers substitution to
  /// removal to insertion, seen from the end.
  std::vector<Edit> path() const;

  /// Returns the distance of another hypothesis with the same first `same` words as the one that was set. A
  /// result above `most` is only known to be above `most`.
  int distance(const Symbols& other, std::size_t same, int most);

 private:
  struct Band {
    std::size_t begin, end, offset;  // columns, and their offset in cells_
  };

  int cell(std::size_t row, std::size_t column) const;
  /// Computes a row into `to` from the previous row at `from`; returns the least distance in it.
  int fill(std::size_t row, std::uint32_t word, const int* from, int* to) const;

  std::span<const std::uint32_t> reference_;
  Symbols hypothesis_;
  std::vector<Band> bands_;
  std::vector<int> cells_, scratch_, next_scratch_;
};

/// Returns the number of edits that turn the hypothesis into the reference. Searches for shifts greedily, as
/// Tercom does: one best shift at a time, of at most 10 words to a place at most 50 words away, until none
/// lowers the edit distance or 1000 were tried. With an empty reference, every word is removed.
std::size_t count_edits(const Symbols& hypothesis, const Symbols& reference);

class Ter final : public Metric {
 public:
  /// Returns the number of edits that turn the hypothesis into the reference with the fewest edits, and the
  /// mean length of the references, both in lower-case words between white space.
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// Returns 100 x edits / length; for empty references 100, or 0 if there are no edits.
  Score score(const Statistics& sum) const override;
  std::variant<float, double> resampled(std::span<const float> sum) const override;
};

}  // namespace nmt
