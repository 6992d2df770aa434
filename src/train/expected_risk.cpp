#include "train/expected_risk.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "translate/search/search.h"
#include "translate/service/translator.h"

namespace nmt {
namespace {

/// Returns the sum of the weights of all target tokens, EOS included.
double weight_of(const Example& example) {
  const auto tokens = static_cast<double>(example.target.size() + 1);
  if (example.weights.empty()) return tokens;
  if (example.weights.size() == 1) return tokens * example.weights[0];
  return std::accumulate(example.weights.begin(), example.weights.end(), 0.0);
}

void multiply_weights(Example& example, double factor) {
  if (example.weights.empty()) example.weights = {1};
  for (float& weight : example.weights) weight = static_cast<float>(weight * factor);
}

/// Returns the samples without duplicates.
std::vector<const Hypothesis*> different(const std::vector<Hypothesis>& samples) {
  std::set<std::vector<std::int32_t>> seen;
  std::vector<const Hypothesis*> different;
  for (const Hypothesis& sample : samples) {
    if (seen.insert(sample.ids).second) different.push_back(&sample);
  }
  return different;
}

/// Returns the settings for sampling candidates in a pass.
SearchSettings candidate_search(int samples, std::uint64_t seed, std::int64_t epoch) {
  SearchSettings search{.n_best = samples, .sampling = SamplingSettings{}};
  search.sampling->seed = static_cast<std::uint64_t>(epoch) << 32 | static_cast<std::uint32_t>(seed);
  return search;
}

/// Returns the rows of the model's table that are not tokens of `target`, which candidates do not include.
TokenList rows_without_tokens(const Vocabulary& target) {
  std::vector<std::int32_t> rows;
  for (int id = target.size(); id < target.rows(); ++id) rows.push_back(id);
  return token_list(std::move(rows));
}

/// Returns the rules for the candidates of a reference: if translations begin with a language token, a sample
/// begins as its reference does, because neighboring sentences may be of different languages.
std::shared_ptr<const SentenceRules> rules_for(const Example& reference, const Vocabulary& target,
                                               const TokenList& forbidden) {
  const auto given =
      static_cast<std::ptrdiff_t>(std::min(target.first_tokens().size(), reference.target.size()));
  return std::make_shared<const SentenceRules>(
      SentenceRules{.allowed = {.forbidden = forbidden},
                    .first_tokens = {reference.target.begin(), reference.target.begin() + given}});
}

}  // namespace

ExpectedRisk expected_risk(std::span<const double> log_probabilities, std::span<const double> risks,
                           double sharpness) {
  const double best = std::ranges::max(log_probabilities);
  std::vector<double> q;
  for (const double log_probability : log_probabilities)
    q.push_back(std::exp(sharpness * (log_probability - best)));
  const double sum = std::accumulate(q.begin(), q.end(), 0.0);
  ExpectedRisk expected;
  for (std::size_t k = 0; k < q.size(); ++k) expected.value += (q[k] /= sum) * risks[k];
  for (std::size_t k = 0; k < q.size(); ++k)
    expected.factors.push_back(sharpness * q[k] * (expected.value - risks[k]));
  return expected;
}

RiskSampler::RiskSampler(const RiskSettings& settings, const SavedModel& model, Workers& workers,
                         std::uint64_t seed)
    : settings_(settings),
      model_(model),
      workers_(workers),
      seed_(seed),
      metric_(utility_metric(settings.metric)) {}

RiskSampler::Candidates RiskSampler::candidates(const Example& reference,
                                                const std::vector<Hypothesis>& samples) const {
  const std::vector<const Hypothesis*> different = nmt::different(samples);
  if (different.empty()) return {};
  const Vocabulary& target = model_.vocabularies.target;
  const std::string text = target.decode(reference.target);
  const std::string_view reference_text = text;
  std::vector<double> log_probabilities, risks;
  for (const Hypothesis* sample : different) {
    const Statistics counts = metric_->segment(target.decode(sample->ids), std::span(&reference_text, 1));
    log_probabilities.push_back(sample->log_probability);
    risks.push_back(1 - metric_->value(counts) / 100);
  }
  const ExpectedRisk expected = expected_risk(log_probabilities, risks, settings_.sharpness);
  const double weight = settings_.weight * weight_of(reference);
  Candidates candidates{.examples = {}, .risk = weight * expected.value};
  for (std::size_t k = 0; k < different.size(); ++k) {
    const auto factor = static_cast<float>(weight * expected.factors[k]);
    if (factor == 0) continue;
    Example candidate{.id = reference.id, .source = reference.source, .target = different[k]->ids};
    candidate.weights.assign(different[k]->token_log_probabilities.size(), factor);
    candidate.weights.resize(candidate.target.size() + 1);  // EOS is not part of a truncated sample
    candidates.examples.push_back(std::move(candidate));
  }
  return candidates;
}

RiskParts RiskSampler::operator()(Batch batch, std::int64_t epoch, const StopRequest& stop) {
  std::vector<Example>& examples = batch.examples;
  const Vocabulary& target = model_.vocabularies.target;
  const auto search =
      std::make_shared<const SearchSettings>(candidate_search(settings_.samples, seed_, epoch));
  const TokenList forbidden = rows_without_tokens(target);
  std::vector<Candidates> found(examples.size());
  std::atomic<std::size_t> begun = 0;
  workers_.each(examples.size(), [&](Worker& worker, std::size_t) {
    const auto next = [&]() -> std::optional<SearchRequest> {
      const std::size_t number = begun++;
      if (number >= examples.size()) return std::nullopt;
      const Example& reference = examples[number];
      return SearchRequest{static_cast<std::int64_t>(number), reference.source, search, reference.id,
                           rules_for(reference, target, forbidden)};
    };
    Search samples({{model_.model.get(), model_.special_tokens}}, worker,
                   translation_capacity({.search = *search}), next);
    for (stop.check(); samples.step(); stop.check()) {
      for (const Search::Found& sentence : samples.take()) {
        const auto number = static_cast<std::size_t>(sentence.id);
        found[number] = candidates(examples[number], sentence.hypotheses);
      }
    }
  });
  RiskParts parts{.references = std::move(batch), .candidates = {}};
  for (Candidates& of_sentence : found) {
    parts.risk_sum += of_sentence.risk;
    std::ranges::move(of_sentence.examples, std::back_inserter(parts.candidates.examples));
  }
  for (Example& reference : parts.references.examples) multiply_weights(reference, 1 - settings_.weight);
  return parts;
}

}  // namespace nmt
