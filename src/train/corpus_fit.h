// Chooses training settings from the size of the corpus unless the user has given them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/corpus.h"
#include "train/settings.h"

namespace nmt {

/// A sample of the pairs of a corpus, from which the size of the whole corpus is estimated.
class CorpusSample {
 public:
  /// Takes examples, each of which represents `weight` pairs of the corpus.
  CorpusSample(std::vector<Example> examples, double weight)
      : examples_(std::move(examples)), weight_(weight) {}
  /// Draws pairs at random by `seed`: all pairs of a small corpus, 32,768 of a large one. Throws Interrupted
  /// if `stop` requests the end.
  static CorpusSample draw(const Corpus& corpus, std::uint64_t seed, const StopRequest& stop);

  /// Returns the estimated number of target tokens per pass over the corpus, EOS included.
  double target_tokens() const;
  /// Returns the number of updates per pass, each of `delay` batches of `batch_tokens`.
  double updates(std::int64_t batch_tokens, std::int64_t delay) const;

 private:
  std::vector<Example> examples_;
  double weight_;
};

/// Returns the names of the settings that fit_to_corpus() may choose, as in configurations, if the settings
/// in `given` are given. `recipe_fits`: whether the preset is for small corpora (fits_corpus()). If it is
/// not, or if `steps` or `epochs` define the length of the run, the weights after N updates do not depend on
/// any of the chosen settings.
std::set<std::string> settings_left_open(const std::set<std::string>& given, bool recipe_fits);

/// Chooses the settings named in `settings.from_corpus`; all others are left as they are. With T target
/// tokens per pass over the corpus:
///
/// - `batch_tokens`: T / 240, from 1,000 to the value of the preset, so that a pass has enough updates.
/// - `steps`: as many updates as process 14,000 * sqrt(T) target tokens, and at least 6 passes over the
///   corpus: four times as much text gets twice the training. From 1,000 to 100,000.
/// - `warmup`: a quarter of the updates, or the value of the preset if that is less.
/// - `r_drop`: 1 if the run makes 10 passes over the corpus or more, and the settings name no other loss
///   (SimCut, minimum risk training).
/// - `save_every`: a twentieth of the updates; from 100 to 1,000 if `steps` or `epochs` is given; equal to
///   `valid_every` if only that is given.
/// - `valid_every`: like `save_every`.
/// - `valid_beam`: the value of the preset, or 1 if validations would take more than a tenth of the training
///   time. If that does not suffice, there are fewer validations, down to 5, and finally validations do not
///   translate.
/// - `best_by`: chrf if validations translate, else perplexity.
/// - `early_stopping`: 6 validations, which is longer than the warm-up; only if there is a validation text.
///
/// `valid_tokens`: target tokens of the validation text; 0: there is none. Returns the choices for people
/// ("`steps` 3600, `warmup` 900"), empty if there were none to make.
std::string fit_to_corpus(TrainingSettings& settings, const CorpusSample& sample, double valid_tokens);

}  // namespace nmt
