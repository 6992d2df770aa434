// Settings of training that follow from the size of the corpus where nobody has given them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/process/stop_request.h"
#include "data/corpus.h"
#include "train/settings.h"

namespace nmt {

/// Pairs of a corpus from which the size of all of it is estimated.
class CorpusSample {
 public:
  /// Examples, each of which stands for `weight` pairs of the corpus.
  CorpusSample(std::vector<Example> examples, double weight)
      : examples_(std::move(examples)), weight_(weight) {}
  /// Draws pairs at random by `seed`: all of a small corpus, 32,768 of a large one. Throws Interrupted when
  /// `stop` asks for the end.
  static CorpusSample draw(const Corpus& corpus, std::uint64_t seed, const StopRequest& stop);

  /// Target tokens of a pass over the corpus, EOS included.
  double target_tokens() const;
  /// Updates of a pass, each of `delay` batches of `batch_tokens`.
  double updates(std::int64_t batch_tokens, std::int64_t delay) const;

 private:
  std::vector<Example> examples_;
  double weight_;
};

/// The names of the settings that fit_to_corpus() may choose, as in configurations, when those in `given` are
/// given. `recipe_fits`: whether the preset is one for little text (fits_corpus()). Otherwise, and where
/// `steps` or `epochs` say how long the run is, weights after N updates do not depend on any of them.
std::set<std::string> settings_left_open(const std::set<std::string>& given, bool recipe_fits);

/// Chooses the settings named in `settings.from_corpus`; all others are as they are. With T target tokens in
/// a pass over the corpus:
///
/// - `batch_tokens`: T / 240, from 1,000 to the value of the preset, so that a pass has enough updates.
/// - `steps`: as many updates as take 14,000 * sqrt(T) target tokens, and at least 6 passes over the corpus:
///   four times as much text gets twice the training. From 1,000 to 100,000.
/// - `warmup`: a quarter of the updates, or the value of the preset where that is less.
/// - `r_drop`: 1 where there is dropout and the run makes 10 passes over the corpus or more.
/// - `save_every`: a twentieth of the updates; where `steps` or `epochs` is given, from 100 to 1,000. Where
///   `valid_every` alone is given, that.
/// - `valid_every`: the same. `valid_beam`: the value of the preset, or 1 where validations would take more
///   than a tenth of the time of training. Where that does not suffice, there are down to 5 validations, and
///   in the end none that translates.
/// - `best_by`: chrf where validations translate, else perplexity.
/// - `early_stopping`: 6 validations, which is longer than the warm-up; there has to be a text for it.
///
/// `valid_tokens`: target tokens of the validation text; 0: there is none. Returns the choices for people
/// ("`steps` 3600, `warmup` 900"), or nothing where there was none to make.
std::string fit_to_corpus(TrainingSettings& settings, const CorpusSample& sample, double valid_tokens);

}  // namespace nmt
