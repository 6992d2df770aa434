#include "train/expected_risk.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
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

/// Drops samples that occur earlier.
void drop_duplicates(std::vector<Hypothesis>& samples) {
  std::set<std::vector<std::int32_t>> seen;
  std::erase_if(samples, [&seen](const Hypothesis& sample) { return !seen.insert(sample.ids).second; });
}

/// Returns the settings for sampling candidates in an update.
SearchSettings candidate_search(int samples, std::uint64_t key) {
  SearchSettings search{.n_best = samples, .sampling = SamplingSettings{}};
  search.sampling->seed = key;
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

/// The texts of sentences and of their samples.
class SentenceTexts {
 public:
  SentenceTexts(const Vocabularies& vocabularies, std::span<const Example> examples,
                std::span<const std::vector<Hypothesis>> samples) {
    const auto& [source, target] = vocabularies;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      CandidateTexts& own = candidates_.emplace_back();
      own.source = kept(source.decode(examples[i].source));
      own.reference = kept(target.decode(examples[i].target));
      for (const Hypothesis& sample : samples[i]) own.texts.push_back(kept(target.decode(sample.ids)));
    }
  }

  std::span<const CandidateTexts> candidates() const { return candidates_; }

 private:
  std::string_view kept(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::deque<std::string> texts_;  // which do not move in memory
  std::vector<CandidateTexts> candidates_;
};

/// Returns the risk of a candidate. It is bounded, because a single odd candidate could otherwise decide
/// about all updates of its sentence: scores of networks have no limits.
double risk_of(double score, const Utility& utility) {
  return std::clamp(1 - score / utility.best(), -1.0, 2.0);
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

RiskSampler::RiskSampler(const RiskSettings& settings, std::shared_ptr<const Utility> utility,
                         const SavedModel& model, Workers& workers)
    : settings_(settings), model_(model), workers_(workers), utility_(std::move(utility)) {}

RiskParts RiskSampler::operator()(Batch batch, std::uint64_t key, const StopRequest& stop) {
  const std::vector<Example>& examples = batch.examples;
  const std::vector<std::vector<Hypothesis>> samples = sample(examples, key, stop);
  const std::vector<std::vector<double>> risks = this->risks(examples, samples, stop);
  RiskParts parts;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    Candidates of_sentence = candidates(examples[i], samples[i], risks[i]);
    parts.risk_sum += of_sentence.risk;
    std::ranges::move(of_sentence.examples, std::back_inserter(parts.candidates.examples));
  }
  parts.references = std::move(batch);
  for (Example& reference : parts.references.examples) multiply_weights(reference, 1 - settings_.weight);
  return parts;
}

std::vector<std::vector<Hypothesis>> RiskSampler::sample(std::span<const Example> examples, std::uint64_t key,
                                                         const StopRequest& stop) {
  const Vocabulary& target = model_.vocabularies.target;
  const auto search = std::make_shared<const SearchSettings>(candidate_search(settings_.samples, key));
  const TokenList forbidden = rows_without_tokens(target);
  std::vector<std::vector<Hypothesis>> found(examples.size());
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
      for (Search::Found& sentence : samples.take()) {
        drop_duplicates(sentence.hypotheses);
        found[static_cast<std::size_t>(sentence.id)] = std::move(sentence.hypotheses);
      }
    }
  });
  return found;
}

std::vector<std::vector<double>> RiskSampler::risks(std::span<const Example> examples,
                                                    std::span<const std::vector<Hypothesis>> samples,
                                                    const StopRequest& stop) const {
  // Enough sentences that a network encodes texts of similar length together.
  constexpr std::size_t kSentencesAtOnce = 64;
  std::vector<std::vector<double>> risks(examples.size());
  workers_.run((examples.size() + kSentencesAtOnce - 1) / kSentencesAtOnce, [&](std::size_t piece, Worker&) {
    const std::size_t begin = piece * kSentencesAtOnce,
                      count = std::min(kSentencesAtOnce, examples.size() - begin);
    const SentenceTexts texts(model_.vocabularies, examples.subspan(begin, count),
                              samples.subspan(begin, count));
    std::vector<std::vector<double>> scores = utility_->given(texts.candidates(), [&stop] { stop.check(); });
    for (std::size_t i = 0; i < count; ++i) {
      for (double& score : scores[i]) score = risk_of(score, *utility_);
      risks[begin + i] = std::move(scores[i]);
    }
  });
  return risks;
}

RiskSampler::Candidates RiskSampler::candidates(const Example& reference, std::span<const Hypothesis> samples,
                                                std::span<const double> risks) const {
  if (samples.empty()) return {};
  std::vector<double> log_probabilities;
  for (const Hypothesis& sample : samples) log_probabilities.push_back(sample.log_probability);
  const ExpectedRisk expected = expected_risk(log_probabilities, risks, settings_.sharpness);
  const double weight = settings_.weight * weight_of(reference);
  Candidates candidates{.examples = {}, .risk = weight * expected.value};
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto factor = static_cast<float>(weight * expected.factors[k]);
    if (factor == 0) continue;
    Example candidate{.id = reference.id, .source = reference.source, .target = samples[k].ids};
    candidate.weights.assign(samples[k].token_log_probabilities.size(), factor);
    candidate.weights.resize(candidate.target.size() + 1);  // EOS is not part of a truncated sample
    candidates.examples.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace nmt
