#include "train/corpus_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "data/batches/batches.h"

namespace nmt {
namespace {

constexpr double kTokensPerRoot = 14'000, kLeastPasses = 6;  // of a run
constexpr double kPassesWithRDrop = 10;                      // least passes with which R-Drop is chosen
constexpr double kUpdatesOfPass = 240;                       // wanted number per pass
constexpr double kLeastBatch = 1000;
constexpr double kLeastUpdates = 1000, kMostUpdates = 100'000;
constexpr double kWarmupShare = 0.25;
constexpr std::int64_t kIntervals = 20, kFewestValidations = 5;  // of a run
constexpr double kLeastInterval = 100, kMostInterval = 1000;     // of a run whose length is given
constexpr std::int64_t kPatience = 6;                            // validations
constexpr double kValidationShare = 0.1;                         // of the training time

/// Returns the cost of validating a target token, in units of training on one: a third for its loss, and
/// about a third for each hypothesis of the beam.
double cost_of_token(int beam) {
  return 1.0 / 3 + beam / 3.0;
}

/// Rounds to two significant digits: 1,237 becomes 1,200.
double rounded(double amount) {
  const double unit = std::pow(10, std::max(std::floor(std::log10(std::max(amount, 1.0))) - 1, 0.0));
  return std::max(std::round(amount / unit) * unit, 1.0);
}

/// A single call of fit_to_corpus().
class Fit {
 public:
  Fit(TrainingSettings& settings, const CorpusSample& sample, double valid_tokens)
      : settings_(settings), sample_(sample), valid_tokens_(valid_tokens) {}

  std::string operator()() {
    if (is_open("batch_tokens")) choose_batch();
    const double updates_of_pass = sample_.updates(settings_.batch_tokens, settings_.delay);
    const double tokens_of_update = sample_.target_tokens() / std::max(updates_of_pass, 1e-9);
    double updates = length_of_run(updates_of_pass, tokens_of_update);
    double interval = rounded(updates / kIntervals);
    if (!is_open("steps")) interval = std::clamp(interval, kLeastInterval, kMostInterval);
    if (is_open("steps")) {
      updates = interval * kIntervals;
      settings_.steps = note("steps", static_cast<std::int64_t>(updates));
    }
    if (is_open("warmup")) choose_warmup(updates);
    if (is_open("r_drop")) choose_r_drop(updates / std::max(updates_of_pass, 1e-9));
    choose_intervals(interval,
                     interval * tokens_of_update * (settings_.r_drop > 0 || settings_.simcut > 0 ? 2 : 1));
    if (valid_tokens_ > 0) choose_judgment();
    return fmt::format("{}", fmt::join(choices_, ", "));
  }

 private:
  bool is_open(const char* name) const { return settings_.from_corpus.contains(name); }

  template <class T>
  T note(const char* name, T value) {
    choices_.push_back(fmt::format("`{}` {}", name, value));
    return value;
  }

  void choose_batch() {
    const auto most = static_cast<double>(settings_.batch_tokens);
    const double wanted = rounded(sample_.target_tokens() / kUpdatesOfPass);
    const double chosen = std::min(std::max(wanted, kLeastBatch), most);
    settings_.batch_tokens = note("batch_tokens", static_cast<std::int64_t>(chosen));
  }

  /// Returns the number of updates of the run, as chosen here or given by the user.
  double length_of_run(double updates_of_pass, double tokens_of_update) const {
    const auto steps = static_cast<double>(settings_.steps);
    if (is_open("steps")) {
      const double corpus = sample_.target_tokens();
      const double tokens = std::max(kTokensPerRoot * std::sqrt(corpus), kLeastPasses * corpus);
      return std::clamp(tokens / std::max(tokens_of_update, 1.0), kLeastUpdates, kMostUpdates);
    }
    const double by_epochs = static_cast<double>(settings_.epochs) * updates_of_pass;
    if (steps == 0 && by_epochs == 0) return kMostUpdates;
    return steps == 0 || (by_epochs > 0 && by_epochs < steps) ? by_epochs : steps;
  }

  void choose_warmup(double updates) {
    const auto chosen = static_cast<std::int64_t>(rounded(updates * kWarmupShare));
    settings_.warmup = note("warmup", std::min(chosen, settings_.warmup));
  }

  void choose_r_drop(double passes) {
    const bool has_other_loss = settings_.risk.is_wanted() || settings_.simcut > 0;
    if (has_other_loss || passes < kPassesWithRDrop) return;
    settings_.r_drop = note("r_drop", 1);
  }

  /// `tokens`: target tokens that training processes between two checkpoints.
  void choose_intervals(double interval, double tokens) {
    double checkpoints = 1;  // between two validations
    if (valid_tokens_ > 0 && is_open("valid_beam")) {
      const auto is_cheap = [&](int beam, double times) {
        return valid_tokens_ * cost_of_token(beam) <= kValidationShare * tokens * times;
      };
      const bool may_wait = is_open("valid_every");
      const int beam = settings_.valid_beam;
      if (!is_cheap(beam, 1)) settings_.valid_beam = std::min(beam, 1);
      while (may_wait && checkpoints < kIntervals / kFewestValidations &&
             !is_cheap(settings_.valid_beam, checkpoints))
        ++checkpoints;
      if (!is_cheap(settings_.valid_beam, checkpoints)) {
        settings_.valid_beam = 0;
        checkpoints = 1;
      }
      if (settings_.valid_beam != beam) note("valid_beam", settings_.valid_beam);
    }
    const Interval checkpoint{interval, Interval::Unit::updates};
    if (valid_tokens_ > 0 && is_open("valid_every")) {
      settings_.valid_every = {interval * checkpoints, Interval::Unit::updates};
      note("valid_every", format_interval(settings_.valid_every));
    }
    if (is_open("save_every")) {
      const bool follows = valid_tokens_ > 0 && !is_open("valid_every") && settings_.valid_every.amount > 0;
      settings_.save_every = follows ? settings_.valid_every : checkpoint;
      note("save_every", format_interval(settings_.save_every));
    }
  }

  void choose_judgment() {
    if (is_open("best_by")) {
      settings_.best_by = note<std::string>("best_by", settings_.valid_beam > 0 ? "chrf" : "perplexity");
    }
    if (is_open("early_stopping")) settings_.early_stopping = note("early_stopping", kPatience);
  }

  TrainingSettings& settings_;
  const CorpusSample& sample_;
  double valid_tokens_;
  std::vector<std::string> choices_;
};

}  // namespace

CorpusSample CorpusSample::draw(const Corpus& corpus, std::uint64_t seed, const StopRequest& stop) {
  constexpr std::int64_t kMostPairs = 32'768, kAtOnce = 1024;
  const std::int64_t pairs = std::min(corpus.size(), kMostPairs);
  const std::atomic<bool> never = false;
  Dropped dropped;
  std::vector<Example> examples;
  for (std::int64_t begin = 0; begin < pairs; begin += kAtOnce) {
    stop.check();
    const std::int64_t end = std::min(begin + kAtOnce, pairs);
    std::ranges::move(corpus.examples(corpus.order(seed, 0, begin, end), 0, dropped, never),
                      std::back_inserter(examples));
  }
  return {std::move(examples),
          static_cast<double>(corpus.size()) / static_cast<double>(std::max<std::int64_t>(pairs, 1))};
}

double CorpusSample::target_tokens() const {
  return weight_ * static_cast<double>(size_of({examples_}).target);
}

double CorpusSample::updates(std::int64_t batch_tokens, std::int64_t delay) const {
  const auto batches = static_cast<double>(batches_of(examples_, batch_tokens).size());
  return weight_ * batches / static_cast<double>(delay);
}

std::set<std::string> settings_left_open(const std::set<std::string>& given, bool recipe_fits) {
  std::set<std::string> open = {"best_by"};
  if (recipe_fits) open.insert({"valid_every", "save_every"});
  if (recipe_fits && !given.contains("steps") && !given.contains("epochs"))
    open.insert({"steps", "warmup", "batch_tokens", "r_drop", "valid_beam", "early_stopping"});
  for (const std::string& name : given) open.erase(name);
  return open;
}

std::string fit_to_corpus(TrainingSettings& settings, const CorpusSample& sample, double valid_tokens) {
  return Fit(settings, sample, valid_tokens)();
}

}  // namespace nmt
