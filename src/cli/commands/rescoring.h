// Rescoring of n-best lists (doc/rescoring.md): features by several models, and reranking by their weighted
// sum.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/scored_text.h"
#include "cli/files/model_file.h"
#include "cli/options/options.h"
#include "translate/quality/quality_metric.h"
#include "translate/scoring/scorer.h"

namespace nmt {

/// A model that computes a feature, and the weight of the feature in the sum.
struct FeatureOptions {
  std::optional<std::string> model;
  double weight = 1;
};

struct RescoringOptions {
  FeatureOptions channel, lm, right_to_left, quality;
  std::optional<std::string> rerank;  // what is printed: "list" or "best"

  /// Whether a model is given.
  bool has_feature() const { return channel.model || lm.model || right_to_left.model || quality.model; }
};

/// Adds `--channel-model`, `--lm`, `--right-to-left-model` and `--quality-model` with their weights, and
/// `--rerank`, all of which need `--n-best`.
void add_rescoring_options(Options& options, RescoringOptions& target);
/// Throws UsageError if weights are given but `--rerank` is not, so that they have no effect.
void check(const Options& options, const RescoringOptions& rescoring);

/// Settings of computing and scoring that all features share.
struct FeatureSettings {
  DeviceSettings device;
  Languages languages;
  ScoreFormula formula;
  std::int64_t max_length = 0, batch_tokens = 0;
};

/// A feature of the entries of an n-best list.
class ListFeature {
 public:
  virtual ~ListFeature() = default;
  ListFeature(const ListFeature&) = delete;
  ListFeature& operator=(const ListFeature&) = delete;

  /// Returns the name of the feature in lists.
  virtual const char* name() const = 0;
  double weight() const { return weight_; }
  /// Returns the values of the first entries of a chunk; fewer if one takes more memory than there is.
  /// `scored`: see Scorer.
  virtual std::vector<double> operator()(const ScoredChunk& chunk, std::size_t entries,
                                         const Scorer::Scored& scored) = 0;

 protected:
  explicit ListFeature(double weight) : weight_(weight) {}

 private:
  double weight_;
};

/// The log-probability of translations by the models of the command, normalized as ScoreFormula says.
class MainScore final : public ListFeature {
 public:
  /// `name`: that of the feature. `scorer` must outlive this object.
  MainScore(std::string name, ScoreFormula formula, Scorer& scorer)
      : ListFeature(1), name_(std::move(name)), formula_(formula), scorer_(scorer) {}

  const char* name() const override { return name_.c_str(); }
  std::vector<double> operator()(const ScoredChunk& chunk, std::size_t entries,
                                 const Scorer::Scored& scored) override;

 private:
  std::string name_;
  ScoreFormula formula_;
  Scorer& scorer_;
};

/// The log-probability by another model, normalized as ScoreFormula says: log p(translation | source), for a
/// channel model log p(source | translation), or for a language model log p(translation).
class FeatureModel final : public ListFeature {
 public:
  enum class Kind : std::uint8_t { channel, lm, right_to_left };

  /// Opens the model. Throws Error as Models does, and if the model is not of this kind.
  FeatureModel(Kind kind, const FeatureOptions& options, const FeatureSettings& settings);

  /// Channel, LM or R2L.
  const char* name() const override;
  std::vector<double> operator()(const ScoredChunk& chunk, std::size_t entries,
                                 const Scorer::Scored& scored) override;

 private:
  Kind kind_;
  ScoreFormula formula_;
  Models models_;
  LengthLimit limit_;
  TruncatedLines truncated_;
  Scorer scorer_;
};

/// The estimate of the quality of the translation by a metric that does not need references.
class QualityFeature final : public ListFeature {
 public:
  QualityFeature(std::shared_ptr<const QualityMetric> metric, double weight)
      : ListFeature(weight), metric_(std::move(metric)) {}

  const char* name() const override { return "Quality"; }
  std::vector<double> operator()(const ScoredChunk& chunk, std::size_t entries,
                                 const Scorer::Scored& scored) override;

 private:
  std::shared_ptr<const QualityMetric> metric_;
};

/// Opens the models of the options that are given.
std::vector<std::unique_ptr<ListFeature>> list_features(const RescoringOptions& options,
                                                        const FeatureSettings& settings);

/// Ranks the entries of each line by their totals; entries with equal totals stay in their order.
class Reranker {
 public:
  /// `best_alone`: whether only the text of the best entry of each line is printed.
  explicit Reranker(bool best_alone) : best_alone_(best_alone) {}

  /// Takes the next entry of the list. Returns the output lines of all source lines before it, which are now
  /// complete; if only texts are printed, a source line without entries gives an empty line.
  std::string add(NBestEntry entry, double total);
  /// Returns the output lines of the last entries.
  std::string finish();

 private:
  struct Ranked {
    NBestEntry entry;
    double total = 0;
  };

  bool best_alone_;
  std::int64_t next_ = 0;     // the first line that is not printed yet
  std::vector<Ranked> line_;  // entries of the current line
};

}  // namespace nmt
