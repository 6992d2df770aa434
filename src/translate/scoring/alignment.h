// Word alignments, from the attention of the decoder over the source.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "data/vocabulary/words.h"
#include "nn/files/saved_model.h"

namespace nmt {

/// How much each word of a translation looks at each word of its source. That of an empty line has the ends
/// alone, which look at each other.
struct Alignment {
  std::int64_t source_words = 0, target_words = 0;
  /// Row-major, [target words + 1, source words + 1], those of EOS last. A row sums to 1; that of a word
  /// without pieces is 0.
  std::vector<double> weights = {1};

  double weight(std::int64_t target, std::int64_t source) const {
    return weights[static_cast<std::size_t>(target * (source_words + 1) + source)];
  }
};

/// Where the words of a part are among those of a text: the number of its first word, and the words of the
/// text.
struct PartOfWords {
  std::int64_t first = 0, all = 0;
};
/// An alignment of parts as that of whole texts, whose other words have no weights.
Alignment within(Alignment alignment, const PartOfWords& source, const PartOfWords& target);

/// Source and target words that belong together, in rising order.
using AlignmentPoints = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Each target word with the source word that it looks at most, the first of equal ones; none where it looks
/// at no word. EOS is left out.
AlignmentPoints hard_alignment(const Alignment& alignment);
/// The same as the source word of each target word; -1: none.
std::vector<std::int64_t> sources_of_words(const Alignment& alignment);
/// All words whose weight is above `threshold`. EOS is left out.
AlignmentPoints alignment_above(const Alignment& alignment, double threshold);

/// How alignments are told: as weights, or as pairs of words, hard ones or those above a threshold.
struct AlignmentForm {
  bool is_soft = false;
  double threshold = 1;  // 1: hard
};
/// The pairs of a form that is not soft.
AlignmentPoints alignment_points(const Alignment& alignment, const AlignmentForm& form);

/// Which attention counts; layers and heads are counted from 1.
struct AlignmentSettings {
  std::optional<int> layer;  // of the decoder; none: the last
  std::vector<int> heads;    // whose mean counts; none: all
};

/// A pair to be aligned: ids, and the words that they make up.
struct AlignedPair {
  Example ids;
  Words source, target;
};

/// Words for an alignment of pieces: each of so many is one.
Words each_a_word(std::size_t pieces);

class Aligner {
 public:
  /// `model` must outlive it. Throws UsageError for a layer or head that the model does not have, and
  /// where it has no attention over a source.
  Aligner(const SavedModel& model, Backend& backend, const AlignmentSettings& settings);

  /// The alignments of these pairs, each of which does not depend on the others. Takes memory for
  /// `batch_tokens` tokens of a side, padding included, or for one pair.
  std::vector<Alignment> align(Worker& worker, const std::vector<AlignedPair>& pairs,
                               std::int64_t batch_tokens) const;

 private:
  /// From one pass over these pairs, in their order.
  std::vector<Alignment> align_batch(Worker& worker, const std::vector<const AlignedPair*>& pairs) const;

  const SavedModel& model_;
  int layer_ = 0;           // counted from 0
  std::vector<int> heads_;  // counted from 0
};

}  // namespace nmt
