// Word alignments, from the attention of the decoder over the source, and coverage: whether translations
// attend to all of their source.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "data/vocabulary/words.h"
#include "nn/model.h"
#include "nn/saved/saved_model.h"
#include "translate/search/strategy.h"

namespace nmt {

/// Returns the weights of the attentions that `wanted` selects, from one pass over all these pairs, in which
/// the decoder reads the given targets. Rows of queries and columns of keys include special tokens. A source
/// ends with EOS. The first decoder row reads the start token; the last one reads the last token and predicts
/// EOS. Sentences follow each other; columns after the keys of a sentence are 0.
std::vector<AttentionWeights> forced_attention(const Model& model, Worker& worker,
                                               const std::vector<Example>& examples,
                                               const SpecialTokens& special_tokens,
                                               std::function<bool(AttentionKind, int layer)> wanted);

/// The number of layers of a model with this kind of attention, and of heads in each; 0 if there are none.
struct AttentionShape {
  int layers = 0, heads = 0;
};
AttentionShape attention_shape(const Model& model, Backend& backend, const SpecialTokens& special_tokens,
                               AttentionKind kind);

/// The attention that each word of a translation pays to each word of its source. The alignment of an empty
/// line has only EOS on both sides.
struct Alignment {
  std::int64_t source_words = 0, target_words = 0;
  /// Matrix of shape [target words + 1, source words + 1], row-major; the last row and column belong to EOS.
  /// Each row sums to 1, except that the row of a word without pieces is 0.
  std::vector<double> weights = {1};

  double weight(std::int64_t target, std::int64_t source) const {
    return weights[static_cast<std::size_t>(target * (source_words + 1) + source)];
  }
};

/// The position of the words of a part in a text: the number of the first word, and the number of words of
/// the text.
struct PartOfWords {
  std::int64_t first = 0, all = 0;
};
/// Extends the alignment of parts of two texts to the whole texts. Words outside the parts get no weight.
Alignment within(Alignment alignment, const PartOfWords& source, const PartOfWords& target);

/// Pairs of aligned source and target words, in ascending order.
using AlignmentPoints = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Returns each target word with the source word to which it pays the most attention, or with the first of
/// several equal ones. Target words without attention and EOS are left out.
AlignmentPoints hard_alignment(const Alignment& alignment);
/// Returns the source word of each target word according to hard_alignment(); -1 if it has none.
std::vector<std::int64_t> sources_of_words(const Alignment& alignment);
/// Returns all pairs of words whose weight is above `threshold`, without EOS.
AlignmentPoints alignment_above(const Alignment& alignment, double threshold);

/// The output form of alignments: weights, hard pairs of words, or pairs above a threshold.
struct AlignmentForm {
  bool is_soft = false;
  double threshold = 1;  // 1: hard
};
/// Returns the pairs of a form that is not soft.
AlignmentPoints alignment_points(const Alignment& alignment, const AlignmentForm& form);

/// Selects the attention that alignments come from. Layers and heads are counted from 1.
struct AlignmentSettings {
  std::optional<int> layer;  // decoder layer; default: the last
  std::vector<int> heads;    // heads whose mean is used; empty: all
};

/// A pair to align: token ids, and the words that they form.
struct AlignedPair {
  Example ids;
  Words source, target;
};

/// Returns words for an alignment of single pieces: each piece is a word.
Words each_a_word(std::size_t pieces);

/// Aligns the words of pairs by the attention of a model.
class Aligner {
 public:
  /// `model` must outlive this object. Throws UsageError if the model does not have such a layer or head, or
  /// has no attention over a source.
  Aligner(const SavedModel& model, Backend& backend, const AlignmentSettings& settings);

  /// Returns the alignments of these pairs, each of which is independent of the others. Needs memory for
  /// `batch_tokens` tokens of a side, including padding, or for a single longer pair.
  std::vector<Alignment> align(Worker& worker, const std::vector<AlignedPair>& pairs,
                               std::int64_t batch_tokens) const;

 private:
  /// Aligns these pairs in one pass, in their order.
  std::vector<Alignment> align_batch(Worker& worker, const std::vector<const AlignedPair*>& pairs) const;

  const SavedModel& model_;
  int layer_ = 0;           // counted from 0
  std::vector<int> heads_;  // counted from 0
};

/// Returns the sum of log(min(a, 1)) over all source words and EOS (Wu et al., 2016, equation 14, with beta
/// 1). Here a is the total attention that the target words and EOS pay to the source word. Source words
/// without any attention do not count, such as EOS if the source has none. The sum is at most 0.
double log_coverage(const Alignment& alignment);

/// Returns the term that coverage adds to the score of a translation: log_coverage() times beta. At most 0.
double coverage_score(const SearchSettings& search, const Alignment& alignment);

/// Returns the pairs of a source and each of its hypotheses, with pieces as words. The alignments of these
/// pairs give the coverage.
std::vector<AlignedPair> coverage_pairs(const std::vector<int>& source,
                                        const std::vector<Hypothesis>& hypotheses);
/// Sorts hypotheses whose scores have changed, by the fewest missing constraints and then by score, and keeps
/// the first `search.n_best`.
void keep_best(const SearchSettings& search, std::vector<Hypothesis>& hypotheses);

/// Adds coverage_score(), with pieces as words, to the scores of the hypotheses of a source and keeps the
/// best. `batch_tokens`: see Aligner::align().
void add_coverage(const Aligner& aligner, Worker& worker, const std::vector<int>& source,
                  const SearchSettings& search, std::int64_t batch_tokens,
                  std::vector<Hypothesis>& hypotheses);

}  // namespace nmt
