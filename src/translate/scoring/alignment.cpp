#include "translate/scoring/alignment.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/text/number.h"
#include "translate/scoring/scorer.h"

namespace nmt {

std::vector<AttentionWeights> forced_attention(const Model& model, Worker& worker,
                                               const std::vector<Example>& examples,
                                               const SpecialTokens& special_tokens,
                                               std::function<bool(AttentionKind, int layer)> wanted) {
  AttentionTrace trace{std::move(wanted), {}};
  Graph g(worker);
  g.trace_attention(trace);
  const BatchInput input = batch_input(g, examples, special_tokens);
  model.logits(g, input.source, input.target);
  return std::move(trace.seen);
}

AttentionShape attention_shape(const Model& model, Backend& backend, const SpecialTokens& special_tokens,
                               AttentionKind kind) {
  Worker worker(backend);
  AttentionShape shape;
  const auto of_kind = [kind](AttentionKind other, int) { return other == kind; };
  for (const AttentionWeights& attention :
       forced_attention(model, worker, {Example{}}, special_tokens, of_kind)) {
    ++shape.layers;
    shape.heads = attention.heads;
  }
  return shape;
}

namespace {

/// Returns the word of each row of a target. Special tokens form one more word.
std::vector<std::int64_t> target_rows(const Words& target) {
  std::vector<std::int64_t> rows = target.of_piece;
  rows.push_back(target.count);
  return rows;
}

/// Returns the word of each row of a source. Special tokens form one more word.
std::vector<std::int64_t> source_rows(const Words& source, const SpecialTokens& special_tokens) {
  std::vector<std::int64_t> rows = source.of_piece;
  if (special_tokens.source_reversed) std::ranges::reverse(rows);
  if (special_tokens.has_source_eos(std::ssize(source.of_piece))) rows.push_back(source.count);
  if (special_tokens.source_bos >= 0) rows.insert(rows.begin(), source.count);
  return rows;
}

// The maximum number of attention weights in memory in f64 at a time, unless one row has more.
constexpr std::int64_t kWeightsAtATime = 1 << 18;

/// Attention rows of a batch, in which each head has keys_of_head keys.
struct RowsOfWeights {
  std::vector<double> weights;
  std::int64_t row_size, keys_of_head;
  const std::vector<int>& heads;

  /// Adds up the selected heads.
  void add_up(std::int64_t row, std::span<double> keys) const {
    for (const int head : heads) {
      const double* const of_head = weights.data() + row * row_size + head * keys_of_head;
      for (std::size_t key = 0; key < keys.size(); ++key) keys[key] += of_head[key];
    }
  }
};

/// Computes the weights of words from those of pieces, row by row: adds up the weights of the pieces of a
/// source word, and averages the rows of the pieces of a target word.
class MergedRows {
 public:
  MergedRows(const AlignedPair& pair, const SpecialTokens& special_tokens)
      : alignment_{pair.source.count, pair.target.count, {}},
        columns_(static_cast<std::size_t>(pair.source.count + 1)),
        keys_(source_rows(pair.source, special_tokens)),
        words_(target_rows(pair.target)),
        word_of_row_(words_.size()),
        pieces_(static_cast<std::size_t>(pair.target.count + 1)),
        sums_(keys_.size()) {
    alignment_.weights.assign(columns_ * pieces_.size(), 0);
    const std::int64_t eos = std::ssize(words_) - 1;
    for (std::int64_t token = 0; token <= eos; ++token) {
      const std::int64_t row = token == eos ? eos : special_tokens.target_row(token, eos);
      const std::int64_t word = words_[static_cast<std::size_t>(token)];
      word_of_row_[static_cast<std::size_t>(row)] = word;
      ++pieces_[static_cast<std::size_t>(word)];
    }
  }

  std::int64_t rows() const { return std::ssize(words_); }
  /// Adds a row of the pair, whose weights are the row `number` of `at_hand`.
  void take(std::int64_t row, const RowsOfWeights& at_hand, std::int64_t number) {
    std::ranges::fill(sums_, 0);
    at_hand.add_up(number, sums_);
    const auto word = static_cast<std::size_t>(word_of_row_[static_cast<std::size_t>(row)]);
    const double share = 1 / static_cast<double>(pieces_[word]);
    double* const weights = alignment_.weights.data() + word * columns_;
    for (std::size_t key = 0; key < keys_.size(); ++key)
      weights[keys_[key]] += share * (sums_[key] / static_cast<double>(at_hand.heads.size()));
  }
  Alignment alignment() { return std::move(alignment_); }

 private:
  Alignment alignment_;
  std::size_t columns_;
  std::vector<std::int64_t> keys_, words_;  // the word of each key and of each token
  std::vector<std::int64_t> word_of_row_;
  std::vector<std::int64_t> pieces_;  // the number of pieces of each target word
  std::vector<double> sums_;
};

}  // namespace

Alignment within(Alignment alignment, const PartOfWords& source, const PartOfWords& target) {
  if (source.all == alignment.source_words && target.all == alignment.target_words) return alignment;
  const std::int64_t columns = source.all + 1;
  Alignment whole{source.all, target.all,
                  std::vector<double>(static_cast<std::size_t>(columns * (target.all + 1)))};
  for (std::int64_t t = 0; t <= alignment.target_words; ++t) {
    const std::int64_t row = t == alignment.target_words ? target.all : target.first + t;
    for (std::int64_t s = 0; s <= alignment.source_words; ++s) {
      const std::int64_t column = s == alignment.source_words ? source.all : source.first + s;
      whole.weights[static_cast<std::size_t>(row * columns + column)] = alignment.weight(t, s);
    }
  }
  return whole;
}

AlignmentPoints hard_alignment(const Alignment& alignment) {
  AlignmentPoints points;
  for (std::int64_t target = 0; target < alignment.target_words; ++target) {
    std::optional<std::int64_t> best;
    double largest = 0;
    for (std::int64_t source = 0; source < alignment.source_words; ++source) {
      if (alignment.weight(target, source) <= largest) continue;
      best = source;
      largest = alignment.weight(target, source);
    }
    if (best) points.emplace_back(*best, target);
  }
  std::ranges::sort(points);
  return points;
}

std::vector<std::int64_t> sources_of_words(const Alignment& alignment) {
  std::vector<std::int64_t> sources(static_cast<std::size_t>(alignment.target_words), -1);
  for (const auto& [source, target] : hard_alignment(alignment))
    sources[static_cast<std::size_t>(target)] = source;
  return sources;
}

AlignmentPoints alignment_above(const Alignment& alignment, double threshold) {
  AlignmentPoints points;
  for (std::int64_t source = 0; source < alignment.source_words; ++source) {
    for (std::int64_t target = 0; target < alignment.target_words; ++target) {
      if (alignment.weight(target, source) > threshold) points.emplace_back(source, target);
    }
  }
  return points;
}

AlignmentPoints alignment_points(const Alignment& alignment, const AlignmentForm& form) {
  return form.threshold == 1 ? hard_alignment(alignment) : alignment_above(alignment, form.threshold);
}

Words each_a_word(std::size_t pieces) {
  Words words{.of_piece = std::vector<std::int64_t>(pieces), .count = static_cast<std::int64_t>(pieces)};
  std::iota(words.of_piece.begin(), words.of_piece.end(), 0);
  return words;
}

Aligner::Aligner(const SavedModel& model, Backend& backend, const AlignmentSettings& settings)
    : model_(model) {
  const AttentionShape shape =
      attention_shape(*model.model, backend, model.special_tokens, AttentionKind::cross);
  if (shape.layers == 0) throw UsageError("the model has no attention over a source, which alignment needs");
  const auto check = [](const char* name, int number, int count) {
    if (number < 1 || number > count) {
      throw UsageError("`alignment_{}` {}: the decoder has {}", name, number, count_of(count, name));
    }
  };
  const int layer = settings.layer.value_or(shape.layers);
  check("layer", layer, shape.layers);
  layer_ = layer - 1;
  for (const int head : settings.heads) {
    check("head", head, shape.heads);
    heads_.push_back(head - 1);
  }
  if (heads_.empty()) {
    heads_.resize(static_cast<std::size_t>(shape.heads));
    std::iota(heads_.begin(), heads_.end(), 0);
  }
}

std::vector<Alignment> Aligner::align_batch(Worker& worker,
                                            const std::vector<const AlignedPair*>& pairs) const {
  std::vector<Example> examples;
  examples.reserve(pairs.size());
  for (const AlignedPair* pair : pairs) examples.push_back(pair->ids);
  const auto wanted = [this](AttentionKind kind, int layer) {
    return kind == AttentionKind::cross && layer == layer_;
  };
  const AttentionWeights attention =
      forced_attention(*model_.model, worker, examples, model_.special_tokens, wanted).at(0);
  const Tensor& weights = attention.weights;
  const std::int64_t row_size = weights.columns(),
                     rows_at_a_time = kWeightsAtATime / std::max(row_size, std::int64_t{1}) + 1;
  std::vector<Alignment> alignments;
  alignments.reserve(pairs.size());
  std::optional<MergedRows> merged;
  std::int64_t row_of_pair = 0;
  for (std::int64_t first = 0; first < weights.rows(); first += rows_at_a_time) {
    const std::int64_t count = std::min(rows_at_a_time, weights.rows() - first);
    const RowsOfWeights at_hand{download_reals(worker.backend(), weights.slice_rows(first, count)), row_size,
                                row_size / attention.heads, heads_};
    for (std::int64_t i = 0; i < count && alignments.size() < pairs.size(); ++i) {
      if (!merged) merged.emplace(*pairs[alignments.size()], model_.special_tokens);
      merged->take(row_of_pair, at_hand, i);
      if (++row_of_pair < merged->rows()) continue;
      alignments.push_back(merged->alignment());
      merged.reset();
      row_of_pair = 0;
    }
  }
  return alignments;
}

std::vector<Alignment> Aligner::align(Worker& worker, const std::vector<AlignedPair>& pairs,
                                      std::int64_t batch_tokens) const {
  std::vector<std::int64_t> lengths;
  lengths.reserve(pairs.size());
  for (const AlignedPair& pair : pairs) {
    lengths.push_back(std::max(std::ssize(pair.ids.source), std::ssize(pair.ids.target)) + 1);
  }
  std::vector<Alignment> alignments(pairs.size());
  for (const std::vector<std::size_t>& numbers : batches_by_length(lengths, batch_tokens)) {
    std::vector<const AlignedPair*> batch;
    batch.reserve(numbers.size());
    for (const std::size_t number : numbers) batch.push_back(&pairs[number]);
    std::vector<Alignment> found = align_batch(worker, batch);
    for (std::size_t i = 0; i < numbers.size(); ++i) alignments[numbers[i]] = std::move(found[i]);
  }
  return alignments;
}

double log_coverage(const Alignment& alignment) {
  double sum = 0;
  for (std::int64_t source = 0; source <= alignment.source_words; ++source) {
    double attention = 0;
    for (std::int64_t target = 0; target <= alignment.target_words; ++target)
      attention += alignment.weight(target, source);
    if (attention > 0) sum += std::log(std::min(attention, 1.0));
  }
  return sum;
}

double coverage_score(const SearchSettings& search, const Alignment& alignment) {
  return search.coverage_penalty * log_coverage(alignment);
}

std::vector<AlignedPair> coverage_pairs(const std::vector<int>& source,
                                        const std::vector<Hypothesis>& hypotheses) {
  std::vector<AlignedPair> pairs;
  pairs.reserve(hypotheses.size());
  for (const Hypothesis& hypothesis : hypotheses) {
    pairs.push_back({{std::ssize(pairs), source, hypothesis.ids},
                     each_a_word(source.size()),
                     each_a_word(hypothesis.ids.size())});
  }
  return pairs;
}

void keep_best(const SearchSettings& search, std::vector<Hypothesis>& hypotheses) {
  std::ranges::stable_sort(hypotheses, {}, [](const Hypothesis& hypothesis) {
    return std::tuple(hypothesis.missing, -hypothesis.score);
  });
  const auto wanted = static_cast<std::size_t>(search.n_best);
  if (hypotheses.size() > wanted) hypotheses.resize(wanted);
}

void add_coverage(const Aligner& aligner, Worker& worker, const std::vector<int>& source,
                  const SearchSettings& search, std::int64_t batch_tokens,
                  std::vector<Hypothesis>& hypotheses) {
  const std::vector<Alignment> alignments =
      aligner.align(worker, coverage_pairs(source, hypotheses), batch_tokens);
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    hypotheses[i].score += coverage_score(search, alignments[i]);
  keep_best(search, hypotheses);
}

}  // namespace nmt
