#include "translate/quality/comet_metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "graph/graph.h"
#include "tensor/reals.h"
#include "tensor/workers.h"
#include "translate/quality/error_spans.h"
#include "translate/quality/sentence_vectors.h"
#include "translate/quality/sequence_batches.h"

namespace nmt {
namespace {

// The weights of the passes of xCOMET over translation and source, translation and reference, and all three:
// in the score, beside the score of its errors, and in the probabilities of tags.
constexpr std::array<double, 3> kScoreWeights = {0.12, 0.33, 0.33}, kTagWeights = {0.1667, 0.3333, 0.5};
// The weight in the score if there is one pass.
constexpr double kWholeScoreWeight = kScoreWeights[0] + kScoreWeights[1] + kScoreWeights[2];
constexpr double kErrorWeight = 0.22;

}  // namespace

CometMetric::CometMetric(const CometModel& model, const Vocabulary& vocabulary, Workers& workers)
    : model_(model),
      text_(vocabulary, model.longest_sequence(), config().spans_have_space),
      workers_(workers),
      estimator_(model, workers) {
  const std::vector<double> mix = download_reals(workers.device(), model.mix().value);
  mix_.assign(mix.begin(), mix.end());
}

bool CometMetric::reads_source() const {
  return config().encodes_apart() || config().inputs.source;
}

bool CometMetric::needs_reference() const {
  return config().kind == CometKind::regression || (!config().encodes_apart() && !config().inputs.source);
}

bool CometMetric::reads_reference() const {
  return config().kind == CometKind::regression || (!config().encodes_apart() && config().inputs.reference);
}

void CometMetric::keep(std::span<const std::string> texts) {
  if (!config().encodes_apart()) return;
  UniqueSequences sequences;
  for (const std::string& text : texts) sequences.add(CometText::ids(text_.tokens(text)));
  std::vector<EncodedSequence> all = encoded(sequences.all(), {});
  for (std::size_t i = 0; i < all.size(); ++i) kept_.emplace(sequences.all()[i], std::move(all[i]));
}

std::vector<EncodedSequence> CometMetric::encoded(const std::vector<std::vector<int>>& sequences,
                                                  const Done& done) const {
  std::vector<std::vector<int>> others;
  for (const auto& sequence : sequences) {
    if (!kept_.contains(sequence)) others.push_back(sequence);
  }
  std::vector<EncodedSequence> fresh = encode(model_, mix_, workers_, others, done), all;
  std::size_t next = 0;
  for (const auto& sequence : sequences) {
    const auto kept = kept_.find(sequence);
    all.push_back(kept != kept_.end() ? kept->second : std::move(fresh[next++]));
  }
  return all;
}

std::vector<Judgment> CometMetric::judge(std::span<const JudgedTexts> texts, bool with_references,
                                         const Done& done) const {
  return config().encodes_apart() ? judge_apart(texts, done)
                                  : judge_together(texts, with_references && reads_reference(), done);
}

std::vector<Judgment> CometMetric::judge_apart(std::span<const JudgedTexts> texts, const Done& done) const {
  struct Places {
    std::size_t translation, source, reference;
  };
  UniqueSequences sequences;
  std::vector<Places> places;
  const auto place = [&](std::string_view text) { return sequences.add(CometText::ids(text_.tokens(text))); };
  const bool has_reference = config().kind == CometKind::regression;
  for (const JudgedTexts& each : texts)
    places.push_back(
        {place(each.translation), place(each.source), has_reference ? place(each.reference) : 0});
  const std::vector<EncodedSequence> encoded = this->encoded(sequences.all(), done);

  static const std::vector<float> none;
  const std::vector<double> scores = estimator_.scores(places.size(), [&](std::size_t i) {
    const Places& own = places[i];
    return Estimator::features(encoded[own.translation].vector, encoded[own.source].vector,
                               has_reference ? encoded[own.reference].vector : none);
  });
  std::vector<Judgment> judgments;
  for (const double score : scores) judgments.push_back({.score = score});
  return judgments;
}

std::vector<double> CometMetric::expected(std::string_view source, std::span<const std::string_view> texts,
                                          std::span<const double> weights, std::size_t exact) const {
  UniqueSequences sequences;
  std::vector<std::size_t> places;
  const std::size_t source_place = sequences.add(CometText::ids(text_.tokens(source)));
  for (const std::string_view text : texts)
    places.push_back(sequences.add(CometText::ids(text_.tokens(text))));
  const std::vector<EncodedSequence> encoded = this->encoded(sequences.all(), {});
  const std::vector<float>& source_vector = encoded[source_place].vector;
  std::vector<std::vector<float>> vectors;
  for (const std::size_t place : places) vectors.push_back(encoded[place].vector);

  const std::size_t count = texts.size();
  std::vector<double> scores(count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (exact < count) {
    std::vector<float> mean(source_vector.size());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += static_cast<float>(weights[i]) * vectors[i][f];
    scores = estimator_.scores(
        count, [&](std::size_t i) { return Estimator::features(vectors[i], source_vector, mean); });
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  }
  const std::size_t compared = std::min(exact, count);
  const std::vector<double> pairs = estimator_.compare(
      source_vector, vectors, {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(compared)});
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < compared; ++i) {
    double& own = scores[order[i]] = 0;
    for (std::size_t j = 0; j < count; ++j) own += weights[j] * pairs[i * count + j];
    worst = std::min(worst, own);
  }
  for (std::size_t i = compared; i < count; ++i) scores[order[i]] = std::min(scores[order[i]], worst);
  return scores;
}

std::vector<Judgment> CometMetric::judge_together(std::span<const JudgedTexts> texts, bool with_references,
                                                  const Done& done) const {
  UniqueSequences sequences;
  std::vector<std::vector<CometToken>> translations;
  std::vector<std::vector<std::size_t>> passes;  // sequences of each text
  for (const JudgedTexts& each : texts) {
    translations.push_back(text_.tokens(each.translation));
    const std::vector<int> translation = CometText::ids(translations.back());
    const auto ids_if = [this](bool is_read, std::string_view text) {
      return is_read ? CometText::ids(text_.tokens(text)) : std::vector<int>();
    };
    const std::vector<int> source = ids_if(config().inputs.source, each.source),
                           reference = ids_if(with_references, each.reference);
    std::vector<std::size_t>& own = passes.emplace_back();
    if (config().inputs.source) own.push_back(sequences.add(text_.joined({translation, source})));
    if (!with_references) continue;
    own.push_back(sequences.add(text_.joined({translation, reference})));
    if (config().inputs.source) own.push_back(sequences.add(text_.joined({translation, source, reference})));
  }
  const std::vector<EncodedSequence> encoded = encode(model_, mix_, workers_, sequences.all(), done);
  const std::vector<double> scores =
      estimator_.scores(encoded.size(), [&](std::size_t i) { return encoded[i].vector; });

  std::vector<Judgment> judgments;
  for (std::size_t i = 0; i < texts.size(); ++i)
    judgments.push_back(combined(texts[i].translation, translations[i], passes[i], encoded, scores));
  return judgments;
}

Judgment CometMetric::combined(std::string_view translation, const std::vector<CometToken>& tokens,
                               const std::vector<std::size_t>& passes,
                               const std::vector<EncodedSequence>& encoded,
                               const std::vector<double>& scores) const {
  Judgment judgment;
  if (finds_errors()) {
    const auto tags = static_cast<std::size_t>(config().tags());
    std::vector<double> probabilities(tokens.size() * tags);
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const std::span<const float> logits(encoded[passes[p]].tags.data(), probabilities.size());
      const std::vector<double> own = tag_probabilities(logits, tags);
      for (std::size_t i = 0; i < own.size(); ++i)
        probabilities[i] += passes.size() == 1 ? own[i] : kTagWeights.at(p) * own[i];
    }
    judgment.errors = error_spans(text_, translation, tokens, probabilities, config().severities);
  }
  const bool is_xcomet = config().kind == CometKind::xcomet;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const double score = scores[passes[p]];
    const double weight = passes.size() == 1 ? kWholeScoreWeight : kScoreWeights.at(p);
    judgment.score += is_xcomet ? weight * std::min(score, 1.0) : score / static_cast<double>(passes.size());
  }
  if (is_xcomet) judgment.score += kErrorWeight * mqm_score(judgment.errors);
  return judgment;
}

}  // namespace nmt
