#include "metrics/ter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "metrics/unicode.h"
#include "metrics/words.h"

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

namespace {

constexpr std::size_t kLongestShift = 10, kFarthestShift = 50, kMostCandidates = 1000;

/// The words of both texts that the edits change, and the origins of the words of the reference.
struct Alignment {
  std::vector<std::size_t> place;  // for each word of the reference: number of hypothesis words up to it
  std::vector<std::size_t> hypothesis_errors{0}, reference_errors{0};  // among the first n words

  explicit Alignment(const std::vector<Edit>& edits) {
    std::size_t at = 0;
    for (const Edit edit : edits) {
      const std::size_t error = edit == Edit::keep ? 0 : 1;
      if (edit != Edit::insert) {
        ++at;
        hypothesis_errors.push_back(hypothesis_errors.back() + error);
      }
      if (edit != Edit::remove) {
        place.push_back(at);
        reference_errors.push_back(reference_errors.back() + error);
      }
    }
  }
};

/// A span of words that occurs in both texts.
struct Match {
  std::size_t hypothesis, reference, length;
};

bool has_errors(const std::vector<std::size_t>& errors, std::size_t begin, std::size_t length) {
  return errors[begin + length] > errors[begin];
}

/// Moves a span of words before the word at `target`, or to the right by `target` - `begin` words if the
/// target is within it.
Symbols shifted(Symbols words, std::size_t begin, std::size_t length, std::size_t target) {
  const auto at = [&words](std::size_t i) {
    return words.begin() + static_cast<std::ptrdiff_t>(std::min(i, words.size()));
  };
  if (target < begin) {
    std::rotate(at(target), at(begin), at(begin + length));
  } else {
    std::rotate(at(begin), at(begin + length), at(target > begin + length ? target : target + length));
  }
  return words;
}

/// The search for the best shift of one hypothesis.
class ShiftSearch {
 public:
  /// `tried` counts candidates, including those of earlier hypotheses.
  ShiftSearch(const Symbols& hypothesis, const Symbols& reference, EditDistance& distance, std::size_t& tried)
      : hypothesis_(hypothesis),
        reference_(reference),
        distance_(distance),
        tried_(tried),
        least_(distance.set(hypothesis)),
        alignment_(distance.path()) {}

  /// Returns the hypothesis after the shift that lowers its distance most; none if none does, or if too many
  /// candidates were tried.
  std::optional<Symbols> run() {
    for (std::size_t h = 0; h < hypothesis_.size(); ++h) {
      const std::size_t first = h - std::min(h, kFarthestShift);
      const std::size_t end = std::min(reference_.size(), h + kFarthestShift + 1);
      for (std::size_t r = first; r < end; ++r) {
        try_spans(h, r);
        if (tried_ >= kMostCandidates) return std::nullopt;
      }
    }
    return best_;
  }

 private:
  void try_spans(std::size_t h, std::size_t r) {
    const std::size_t most = std::min({kLongestShift, hypothesis_.size() - h, reference_.size() - r});
    for (std::size_t length = 1; length <= most; ++length) {
      if (hypothesis_[h + length - 1] != reference_[r + length - 1]) return;
      if (is_worth_a_try({h, r, length})) try_targets({h, r, length});
      if (tried_ >= kMostCandidates) return;
    }
  }

  /// Whether a shift may help: both places must have errors, and a span is not moved into itself.
  bool is_worth_a_try(const Match& match) const {
    const std::size_t place = alignment_.place[match.reference];
    return has_errors(alignment_.hypothesis_errors, match.hypothesis, match.length) &&
           has_errors(alignment_.reference_errors, match.reference, match.length) &&
           (place <= match.hypothesis || place > match.hypothesis + match.length);
  }

  /// Tries the targets where the reference has the span: before it, and after each of its words.
  void try_targets(const Match& match) {
    std::optional<std::size_t> previous;
    for (std::size_t i = 0; i <= match.length; ++i) {
      const std::size_t r = match.reference + i;
      const std::size_t target = r == 0 ? 0 : alignment_.place[r - 1];
      if (previous == target) continue;
      previous = target;
      ++tried_;
      try_shift(match, target);
    }
  }

  /// Tries a shift. Among equally good shifts the longer wins, then the one with earlier words, then the one
  /// with the earlier target.
  void try_shift(const Match& match, std::size_t target) {
    Symbols candidate = shifted(hypothesis_, match.hypothesis, match.length, target);
    const std::size_t same = std::min(match.hypothesis, target);
    const int most = best_ ? least_ : least_ - 1;
    const int distance = distance_.distance(candidate, same, most);
    if (distance > most) return;
    const Rank rank{-distance, match.length, ~match.hypothesis, ~target};
    if (best_ && rank <= best_rank_) return;
    least_ = distance;
    best_rank_ = rank;
    best_ = std::move(candidate);
  }

  /// Gain, length, and how early the words and their target are.
  using Rank = std::tuple<int, std::size_t, std::size_t, std::size_t>;

  const Symbols& hypothesis_;
  const Symbols& reference_;
  EditDistance& distance_;
  std::size_t& tried_;
  int least_;  // distance of the best candidate, or of the hypothesis
  Alignment alignment_;
  Rank best_rank_;
  std::optional<Symbols> best_;
};

}  // namespace

std::size_t count_edits(const Symbols& hypothesis, const Symbols& reference) {
  if (reference.empty()) return hypothesis.size();
  EditDistance distance(reference, hypothesis.size());
  Symbols words = hypothesis;
  std::size_t shifts = 0, tried = 0;
  for (;; ++shifts) {
    std::optional<Symbols> better = ShiftSearch(words, reference, distance, tried).run();
    if (!better) break;
    words = std::move(*better);
  }
  return shifts + static_cast<std::size_t>(distance.set(words));
}

namespace {

template <class Number>
Number rate(std::span<const Number> counts) {
  const Number edits = counts[0], length = counts[1];
  if (length > 0) return 100 * (edits / length);
  return edits > 0 ? 100 : 0;
}

}  // namespace

Statistics Ter::segment(std::string_view hypothesis, std::span<const std::string_view> references) const {
  std::vector<std::string> texts;
  texts.reserve(1 + references.size());  // word numbers refer to it
  WordNumbers numbers;
  const auto words = [&](std::string_view line) {
    texts.push_back(to_lower(line));
    return numbers(words_of(texts.back()));
  };
  const Symbols hypothesis_words = words(hypothesis);
  std::size_t edits = std::numeric_limits<std::size_t>::max(), length = 0;
  for (const std::string_view reference : references) {
    const Symbols reference_words = words(reference);
    edits = std::min(edits, count_edits(hypothesis_words, reference_words));
    length += reference_words.size();
  }
  return {static_cast<double>(edits), static_cast<double>(length) / static_cast<double>(references.size())};
}

Score Ter::score(const Statistics& sum) const {
  return {.name = "TER",
          .value = rate<double>(sum),
          .signature = {{"case", "lc"}, {"tok", "tercom"}, {"norm", "no"}, {"punct", "yes"}, {"asian", "no"}},
          .details = ""};
}

/// A constant is a double in Python.
std::variant<float, double> Ter::resampled(std::span<const float> sum) const {
  const float rate_of_sum = rate(sum);
  if (sum[1] == 0) return static_cast<double>(rate_of_sum);
  return rate_of_sum;
}

}  // namespace nmt
