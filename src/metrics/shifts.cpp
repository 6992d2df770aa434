#include "metrics/shifts.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "metrics/edit_distance.h"

namespace nmt {
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

/// Moves a span of words before the word at `target`, or right by so many words if the target is within it.
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

}  // namespace nmt
