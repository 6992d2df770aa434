#include "metrics/edit_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nmt {
namespace {

constexpr int kUnreachable = 1 << 29;
constexpr double kBeam = 25;

}  // namespace

EditDistance::EditDistance(std::span<const std::uint32_t> reference, std::size_t hypothesis_length)
    : reference_(reference) {
  const std::size_t columns = reference.size() + 1;
  const double ratio = hypothesis_length > 0
                           ? static_cast<double>(reference.size()) / static_cast<double>(hypothesis_length)
                           : 1;
  const auto beam = static_cast<std::size_t>(kBeam < ratio / 2 ? std::ceil(ratio / 2 + kBeam) : kBeam);
  bands_.push_back({0, columns, 0});
  for (std::size_t row = 1; row <= hypothesis_length; ++row) {
    const auto diagonal = static_cast<std::size_t>(std::floor(static_cast<double>(row) * ratio));
    const Band& above = bands_.back();
    bands_.push_back({.begin = diagonal > beam ? diagonal - beam : 0,
                      .end = row == hypothesis_length ? columns : std::min(columns, diagonal + beam),
                      .offset = above.offset + above.end - above.begin});
  }
  cells_.resize(bands_.back().offset + bands_.back().end - bands_.back().begin);
  std::iota(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(columns), 0);
  scratch_.resize(columns);
  next_scratch_.resize(columns);
}

int EditDistance::set(const Symbols& hypothesis) {
  hypothesis_ = hypothesis;
  for (std::size_t row = 1; row < bands_.size(); ++row) {
    fill(row, hypothesis[row - 1], &cells_[bands_[row - 1].offset], &cells_[bands_[row].offset]);
  }
  return cells_.back();
}

int EditDistance::cell(std::size_t row, std::size_t column) const {
  const Band& band = bands_[row];
  return column < band.begin || column >= band.end ? kUnreachable : cells_[band.offset + column - band.begin];
}

int EditDistance::fill(std::size_t row, std::uint32_t word, const int* from, int* to) const {
  const Band &above = bands_[row - 1], &band = bands_[row];
  const auto before = [&](std::size_t column) {
    return column < above.begin || column >= above.end ? kUnreachable : from[column - above.begin];
  };
  int left = kUnreachable, least = kUnreachable;
  int diagonal = band.begin > 0 ? before(band.begin - 1) : kUnreachable;
  for (std::size_t column = band.begin; column < band.end; ++column) {
    const int up = before(column);
    int best = std::min(up, left) + 1;
    if (column > 0) best = std::min(best, diagonal + (word == reference_[column - 1] ? 0 : 1));
    to[column - band.begin] = best;
    least = std::min(least, best);
    left = best;
    diagonal = up;
  }
  return least;
}

std::vector<Edit> EditDistance::path() const {
  std::vector<Edit> edits;
  std::size_t row = bands_.size() - 1, column = reference_.size();
  while (row > 0 || column > 0) {
    const int here = cell(row, column);
    const bool equal = row > 0 && column > 0 && hypothesis_[row - 1] == reference_[column - 1];
    if (row > 0 && column > 0 && here == cell(row - 1, column - 1) + (equal ? 0 : 1)) {
      edits.push_back(equal ? Edit::keep : Edit::substitute);
      --row, --column;
    } else if (row > 0 && here == cell(row - 1, column) + 1) {
      edits.push_back(Edit::remove);
      --row;
    } else {
      edits.push_back(Edit::insert);
      --column;
    }
  }
  std::ranges::reverse(edits);
  return edits;
}

/// Stops early, as the least distance in a row never decreases from row to row.
int EditDistance::distance(const Symbols& other, std::size_t same, int most) {
  const int* from = &cells_[bands_[same].offset];
  for (std::size_t row = same + 1; row < bands_.size(); ++row) {
    const int least = fill(row, other[row - 1], from, next_scratch_.data());
    if (least > most) return least;
    scratch_.swap(next_scratch_);
    from = scratch_.data();
  }
  return from[bands_.back().end - bands_.back().begin - 1];
}

}  // namespace nmt
