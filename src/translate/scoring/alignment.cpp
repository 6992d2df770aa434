#include "translate/scoring/alignment.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "common/error.h"
#include "common/text/plural.h"
#include "translate/scoring/forced_attention.h"
#include "translate/scoring/length_batches.h"

namespace nmt {
namespace {

/// The words of the rows of a target. Special tokens make up one more.
std::vector<std::int64_t> target_rows(const Words& target) {
  std::vector<std::int64_t> rows = target.of_piece;
  rows.push_back(target.count);
  return rows;
}

/// The word of each row of a source. Special tokens make up one more.
std::vector<std::int64_t> source_rows(const Words& source, const SpecialTokens& special_tokens) {
  std::vector<std::int64_t> rows = source.of_piece;
  if (special_tokens.source_reversed) std::ranges::reverse(rows);
  if (special_tokens.has_source_eos(std::ssize(source.of_piece))) rows.push_back(source.count);
  if (special_tokens.source_bos >= 0) rows.insert(rows.begin(), source.count);
  return rows;
}

/// The weights of one sentence and some heads in those of a batch.
struct Corner {
  const std::vector<double>& weights;
  std::int64_t first_row, row_size, keys_of_head;
  const std::vector<int>& heads;

  double operator()(std::int64_t row, std::int64_t column) const {
    double sum = 0;
    for (const int head : heads) {
      sum += weights[static_cast<std::size_t>((first_row + row) * row_size + head * keys_of_head + column)];
    }
    return sum / static_cast<double>(heads.size());
  }
};

/// The weights of pieces as those of words: what the pieces of a source word get is added up, the rows of the
/// pieces of a target word are averaged.
Alignment merged(const Corner& pieces, const Words& source, const Words& target,
                 const SpecialTokens& special_tokens) {
  Alignment alignment{source.count, target.count, {}};
  const auto columns = static_cast<std::size_t>(source.count + 1);
  alignment.weights.resize(columns * static_cast<std::size_t>(target.count + 1));
  const std::vector<std::int64_t> rows = target_rows(target), keys = source_rows(source, special_tokens);
  const std::int64_t eos = std::ssize(rows) - 1;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto token = static_cast<std::int64_t>(row);
    const std::int64_t place = token == eos ? eos : special_tokens.target_row(token, eos);
    const auto share = 1 / static_cast<double>(std::ranges::count(rows, rows[row]));
    for (std::size_t key = 0; key < keys.size(); ++key) {
      alignment
          .weights[static_cast<std::size_t>(rows[row]) * columns + static_cast<std::size_t>(keys[key])] +=
          share * pieces(place, static_cast<std::int64_t>(key));
    }
  }
  return alignment;
}

}  // namespace

AlignmentPoints hard_alignment(const Alignment& alignment) {
  AlignmentPoints points;
  for (std::int64_t target = 0; target < alignment.target_words; ++target) {
    std::int64_t best = 0;
    for (std::int64_t source = 1; source < alignment.source_words; ++source) {
      if (alignment.weight(target, source) > alignment.weight(target, best)) best = source;
    }
    if (alignment.source_words > 0) points.emplace_back(best, target);
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
  if (shape.layers == 0)
    throw UsageError("the model has no attention over a source, by which it could align");
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
  const std::vector<double> weights = download_reals(worker.backend(), attention.weights);
  const std::int64_t row_size = attention.weights.columns();
  std::vector<Alignment> alignments;
  alignments.reserve(pairs.size());
  std::int64_t row = 0;
  for (const AlignedPair* pair : pairs) {
    alignments.push_back(merged({weights, row, row_size, row_size / attention.heads, heads_}, pair->source,
                                pair->target, model_.special_tokens));
    row += std::ssize(pair->ids.target) + 1;
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

}  // namespace nmt
