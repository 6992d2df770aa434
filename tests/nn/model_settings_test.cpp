// Every setting of each type of model, compared with models of PyTorch's layers: scores, searches, gradients
// and a few updates (tests/fixtures/every_setting.py, recurrent_model.py and language_model.py).
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "backend/devices.h"
#include "data/batches/batches.h"
#include "nn/formula_weights.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "optim/update.h"
#include "translate/scoring/scorer.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

using Scores = std::vector<std::vector<double>>;

/// A device, and a type of model.
using DeviceAndType = std::tuple<std::string, std::string>;

class ModelSettingsTest : public ::testing::TestWithParam<DeviceAndType> {
 protected:
  /// Relative and absolute tolerance, for numbers of about 1.
  static double tolerance() { return std::get<0>(GetParam()) == "reference" ? 1e-9 : 2e-4; }

  /// Returns the cases of the fixture; for an emulated GPU, a few in which each setting occurs once.
  std::vector<nlohmann::json> cases() const {
    const nlohmann::json all = testing::fixture("settings.json", std::get<1>(GetParam()));
    std::vector<nlohmann::json> some;
    const std::size_t step = testing::is_emulated(*backend_) ? 3 : 1;
    for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
    return some;
  }

  static SpecialTokens special_tokens_for(const nlohmann::json& c) {
    const std::string start = c["config"].value("decoder_start", "bos");
    SpecialTokens special_tokens = testing::kFixtureSpecialTokens;
    if (start != "bos") special_tokens.start = start == "zero" ? -1 : special_tokens.target_eos;
    return special_tokens;
  }

  static std::vector<Example> examples_of(const nlohmann::json& c) {
    return testing::examples_of(c["source"], c["target"]);
  }

  void expect_scores(const Model& model, const nlohmann::json& c, const char* expected) {
    const Scores scores = score(model, workers_.whole(), examples_of(c), special_tokens_for(c));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      ASSERT_EQ(scores[i].size(), c[expected][i].size());
      for (std::size_t j = 0; j < scores[i].size(); ++j)
        EXPECT_NEAR(scores[i][j], c[expected][i][j], 10 * tolerance()) << "sentence " << i << ", token " << j;
    }
  }

  /// The fixture has one number per weight: the sum of the products of its gradient and another variant of
  /// the formula weights.
  void expect_gradients(const Model& model, const nlohmann::json& expected) {
    std::size_t weights = 0;
    for (const Parameters::Entry& entry : model.parameters().entries()) {
      const std::vector<double> gradient = download_reals(*backend_, entry.parameter.gradient);
      const std::vector<double> probe = testing::formula_weight(entry, 1, "probe");
      EXPECT_NEAR(std::inner_product(gradient.begin(), gradient.end(), probe.begin(), 0.0),
                  expected.at(entry.parameter.name), 10 * tolerance())
          << entry.parameter.name;
      ++weights;
    }
    EXPECT_EQ(weights, expected.size());
  }

  std::unique_ptr<Backend> backend_ = testing::open_device(std::get<0>(GetParam()));
  Workers workers_{*backend_};
};

TEST_P(ModelSettingsTest, LogProbabilitiesAreThoseOfPyTorch) {
  for (const auto& c : cases()) {
    SCOPED_TRACE(c["config"].dump());
    expect_scores(*testing::formula_model(c["config"], c["gain"], *backend_), c, "log_probabilities");
  }
}

TEST_P(ModelSettingsTest, SearchFindsWhatItFindsWithPyTorch) {
  for (const auto& c : cases()) {
    SCOPED_TRACE(c["config"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend_);
    const auto& s = c["search"]["settings"];
    const auto found =
        search(*model, workers_.whole(), testing::examples_of(c["source"]), special_tokens_for(c),
               {.beam = s["beam"],
                .length_penalty = s["length_penalty"],
                .max_length_factor = s["max_length_factor"],
                .max_length_extra = s["max_length_extra"],
                .n_best = s["n_best"]});
    std::size_t next = 0;
    for (const std::vector<Hypothesis>& hypotheses : found) {
      for (const Hypothesis& hypothesis : hypotheses) {
        const auto& expected = c["search"]["results"].at(next++);
        EXPECT_EQ(hypothesis.ids, expected["ids"].get<std::vector<int>>());
        EXPECT_NEAR(hypothesis.score, expected["score"], 1e-6 + tolerance());
      }
    }
    EXPECT_EQ(next, c["search"]["results"].size());
  }
}

TEST_P(ModelSettingsTest, UpdatesAreThoseOfPyTorch) {
  for (const auto& c : cases()) {
    SCOPED_TRACE(c["config"].dump());
    const auto model = testing::formula_model(c["config"], c["gain"], *backend_, true);
    const auto& s = c["training"];
    const std::vector<Batch> batches = {{examples_of(c)}};
    Update update(*model, workers_, special_tokens_for(c), {.label_smoothing = s["label_smoothing"]});
    AdamOptimizer adam(model->training_weights(), {});
    DeviceStatistics statistics(*backend_, 1);
    for (const auto& expected : c["steps"]) {
      adam.zero_gradients();
      update.gradients({batches}, target_tokens(batches), statistics);
      if (expected["step"] == 1) expect_gradients(*model, c["gradients"]);
      adam.update(statistics, expected["step"], {expected["rate"]});
      const StepStatistics found = statistics.read();
      const double loss = found.loss / static_cast<double>(size_of(batches[0]).target);
      EXPECT_NEAR(loss, expected["loss"], tolerance());
      EXPECT_NEAR(std::sqrt(found.squared_norm), expected["gradient_norm"],
                  tolerance() * expected["gradient_norm"].get<double>());
    }
    expect_scores(*model, c, "trained_log_probabilities");
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ModelSettingsTest,
                         ::testing::Combine(::testing::ValuesIn(testing::devices()),
                                            ::testing::Values("transformer", "rnn", "lm")),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param) + "_" + std::get<1>(parameter.param);
                         });

}  // namespace
}  // namespace nmt
