#include "cli/commands/rescoring.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "cli/program.h"
#include "common/error.h"
#include "engine/opened_metric.h"

namespace nmt {
namespace {

constexpr const char* kGroup = "rescoring of an n-best list (--n-best)";

void add_feature(Options& options, FeatureOptions& target, const std::string& name, const std::string& weight,
                 const char* help, const char* value = "FILE") {
  options.add(name, target.model, value, help)
      .group(kGroup)
      .needs({"n-best"}, "an n-best list; give --n-best");
  options.add(weight, target.weight, "W", "weight of the feature of --" + name)
      .range(-1e6, 1e6)
      .group(kGroup)
      .needs({name}, "a model; give --" + name);
}

Languages languages_of(FeatureModel::Kind kind, const Languages& languages) {
  if (kind == FeatureModel::Kind::channel) return {.source = languages.target, .target = languages.source};
  return languages;
}

/// Returns the score of each translation from the log-probabilities of its tokens.
std::vector<double> totals_of(const std::vector<std::vector<double>>& translations,
                              const ScoreFormula& formula) {
  std::vector<double> totals;
  totals.reserve(translations.size());
  for (const std::vector<double>& tokens : translations) totals.push_back(total_score(tokens, formula));
  return totals;
}

/// Throws Error if a model is not of the kind that its option requires.
void check_kind(FeatureModel::Kind kind, const SavedModel& model, const std::string& path) {
  if (kind == FeatureModel::Kind::lm) {
    if (!model.model->has_source()) return;
    throw Error("'{}' is a translation model, of type {}, but `lm` needs a language model", path,
                model.settings.at("type"));
  }
  refuse_language_model(model, path);
  if (kind == FeatureModel::Kind::channel) return;
  if (model.model->target_direction() == Direction::right_to_left) return;
  throw Error(
      "'{}' translates from left to right, but `right_to_left_model` is one of target_direction "
      "right-to-left",
      path);
}

}  // namespace

void add_rescoring_options(Options& options, RescoringOptions& target) {
  add_feature(options, target.channel, "channel-model", "channel-weight",
              "model from the target to the source. The log-probability of the source given a translation is "
              "the feature Channel.");
  add_feature(options, target.lm, "lm", "lm-weight",
              "language model of the target. The log-probability of a translation is the feature LM.");
  add_feature(
      options, target.right_to_left, "right-to-left-model", "right-to-left-weight",
      "model with target_direction right-to-left. Its log-probability of a translation is the feature R2L.");
  add_feature(options, target.quality, "quality-model", "quality-weight",
              "model without references, such as CometKiwi or MetricX-24. Its estimate of the quality of a "
              "translation is the feature Quality.",
              "MODEL");
  options
      .add("rerank", target.rerank, "",
           "rank the translations of each line by the weighted sum of all features, among which the score of "
           "--model has weight 1. "
           "list prints the whole list in that order, with the sum after the features. best prints only the "
           "best translation.")
      .choices({"list", "best"})
      .group(kGroup)
      .needs({"n-best"}, "an n-best list; give --n-best");
}

void check(const Options& options, const RescoringOptions& rescoring) {
  const std::string weights =
      options.origins({"channel-weight", "lm-weight", "right-to-left-weight", "quality-weight"});
  if (weights.empty() || rescoring.rerank) return;
  throw UsageError("{}: weights count where entries are ranked; give --rerank", weights);
}

std::vector<double> MainScore::operator()(const ScoredChunk& chunk, std::size_t entries,
                                          const Scorer::Scored& scored) {
  return totals_of(
      scorer_({chunk.examples.begin(), chunk.examples.begin() + std::ptrdiff_t(entries)}, scored), formula_);
}

FeatureModel::FeatureModel(Kind kind, const FeatureOptions& options, const FeatureSettings& settings)
    : ListFeature(options.weight),
      kind_(kind),
      formula_(settings.formula),
      models_(open_models({*options.model}, settings.device, languages_of(kind, settings.languages))),
      limit_(settings.max_length, models_.ensemble()),
      scorer_(models_.ensemble(), models_.workers(), settings.batch_tokens) {
  check_kind(kind, models_.first(), *options.model);
}

const char* FeatureModel::name() const {
  switch (kind_) {
    case Kind::channel:
      return "Channel";
    case Kind::lm:
      return "LM";
    case Kind::right_to_left:
      break;
  }
  return "R2L";
}

std::vector<double> FeatureModel::operator()(const ScoredChunk& chunk, std::size_t entries,
                                             const Scorer::Scored& scored) {
  const Vocabularies& vocabularies = models_.vocabularies();
  std::vector<Example> examples;
  examples.reserve(entries);
  for (std::size_t i = 0; i < entries; ++i) {
    const LinePair& lines = chunk.lines[i];
    const bool is_channel = kind_ == Kind::channel;
    const std::string& source = is_channel ? lines.target : lines.source;
    const std::string& target = is_channel ? lines.source : lines.target;
    examples.push_back({.id = chunk.examples[i].id,
                        .source = vocabularies.source.encode(limit_.beginning_of(source)),
                        .target = vocabularies.target.encode(limit_.beginning_of(target))});
    truncated_.note(examples.back().id, limit_.truncate(examples.back(), false));
  }
  truncated_.warn(limit_, program_log());
  return totals_of(scorer_(examples, scored), formula_);
}

std::vector<double> QualityFeature::operator()(const ScoredChunk& chunk, std::size_t entries,
                                               const Scorer::Scored& scored) {
  std::vector<JudgedTexts> texts;
  for (std::size_t i = 0; i < entries; ++i)
    texts.push_back({chunk.lines[i].target, chunk.lines[i].source, {}});
  return metric_->estimate(texts, scored);
}

std::vector<std::unique_ptr<ListFeature>> list_features(const RescoringOptions& options,
                                                        const FeatureSettings& settings) {
  std::vector<std::unique_ptr<ListFeature>> features;
  const auto add = [&](FeatureModel::Kind kind, FeatureOptions feature) {
    if (!feature.model) return;
    feature.model = chosen_model(*feature.model);
    features.push_back(std::make_unique<FeatureModel>(kind, feature, settings));
  };
  add(FeatureModel::Kind::channel, options.channel);
  add(FeatureModel::Kind::lm, options.lm);
  add(FeatureModel::Kind::right_to_left, options.right_to_left);
  if (options.quality.model) {
    features.push_back(
        std::make_unique<QualityFeature>(OpenedMetric::estimator(std::make_shared<const OpenedMetric>(
                                             *options.quality.model, settings.device)),
                                         options.quality.weight));
  }
  return features;
}

std::string Reranker::add(NBestEntry entry, double total) {
  std::string lines;
  if (!line_.empty() && entry.index() != line_.front().entry.index()) lines = finish();
  if (best_alone_) {
    for (; next_ < entry.index(); ++next_) lines += '\n';
  }
  line_.push_back({std::move(entry), total});
  return lines;
}

std::string Reranker::finish() {
  std::string lines;
  std::ranges::stable_sort(line_, std::ranges::greater(), &Ranked::total);
  for (const Ranked& ranked : line_) {
    lines += (best_alone_ ? ranked.entry.text() : ranked.entry.with_total(ranked.total)) + '\n';
    next_ = ranked.entry.index() + 1;
    if (best_alone_) break;
  }
  line_.clear();
  return lines;
}

}  // namespace nmt
