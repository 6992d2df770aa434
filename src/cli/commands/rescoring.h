// Rescoring of n-best lists (doc/rescoring.md): features by several models, and reranking by their weighted
// sum.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/scored_text.h"
#include "cli/files/model_file.h"
#include "cli/options/options.h"
#include "translate/scoring/scorer.h"

namespace nmt {

/// What gives a feature: a model, and its weight in the sum.
struct FeatureOptions {
  std::optional<std::string> model;
  double weight = 1;
};

struct RescoringOptions {
  FeatureOptions channel, lm, right_to_left;
  std::optional<std::string> rerank;  // what is printed: "list" or "best"

  bool given() const { return channel.model || lm.model || right_to_left.model || rerank; }
};

/// `--channel-model`, `--lm` and `--right-to-left-model` with their weights, and `--rerank`, all of which
/// need `--n-best`.
void add_rescoring_options(Options& options, RescoringOptions& target);
/// Throws UsageError where weights are given that count for nothing.
void check(const Options& options, const RescoringOptions& rescoring);

/// How all models compute and score.
struct FeatureSettings {
  DeviceSettings device;
  Languages languages;
  ScoreFormula formula;
  std::int64_t max_length = 0, batch_tokens = 0;
};

/// A model that gives a feature of each entry: log p(translation | source), log p(source | translation) where
/// it is the channel, log p(translation) where it is a language model; each as ScoreFormula has it.
class FeatureModel {
 public:
  enum class Kind : std::uint8_t { channel, lm, right_to_left };

  /// Opens the model. Throws Error as Models does, and where it is not of this kind.
  FeatureModel(Kind kind, const FeatureOptions& options, const FeatureSettings& settings);

  /// Its name in lists: Channel, LM or R2L.
  const char* name() const;
  double weight() const { return weight_; }
  /// Of the first entries of a chunk; fewer where one takes more memory than there is. `scored` as Scorer has
  /// it.
  std::vector<double> operator()(const ScoredChunk& chunk, std::size_t entries, const Scorer::Scored& scored);

 private:
  Kind kind_;
  double weight_;
  ScoreFormula formula_;
  Models models_;
  LengthLimit limit_;
  Scorer scorer_;
};

/// The models of the options that are given, opened.
std::vector<std::unique_ptr<FeatureModel>> feature_models(const RescoringOptions& options,
                                                          const FeatureSettings& settings);

/// Ranks the entries of each line by their totals; equal ones stay in their order.
class Reranker {
 public:
  /// `best_alone`: whether nothing is printed but the text of the best entry of each line.
  explicit Reranker(bool best_alone) : best_alone_(best_alone) {}

  /// Takes an entry of the list. Returns lines of output for those before it that are complete: an empty one
  /// for each line of the source that has no entry, where texts alone are printed.
  std::string add(NBestEntry entry, double total);
  /// Lines of output for what is left.
  std::string finish();

 private:
  struct Ranked {
    NBestEntry entry;
    double total = 0;
  };

  bool best_alone_;
  std::int64_t next_ = 0;     // the first line that was not printed
  std::vector<Ranked> line_;  // entries of the line that is read
};

}  // namespace nmt
