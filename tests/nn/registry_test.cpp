// The registry with a second model besides the Transformer, which is made by name, trained, scored and
// searched by general code.
#include "nn/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "common/complaint.h"
#include "nn/bag_model.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "translate/scoring/scorer.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    registry_.add(testing::bag_model());
    registry_.add(Preset{"bag-wide", "a wide one", {{"type", "bag"}, {"width", "32"}}, {{"warmup", "7"}}});
  }

  ModelRegistry registry_ = ModelRegistry::instance();
};

TEST_F(RegistryTest, FindsByName) {
  EXPECT_EQ(registry_.type("bag").keys[0].name, "width");
  EXPECT_EQ(registry_.preset("bag-wide").training.at("warmup"), "7");
  EXPECT_EQ(registry_.types().size(), 6U);
  EXPECT_EQ(registry_.presets().size(), 16U);
}

TEST_F(RegistryTest, UnknownNamesListWhatThereIs) {
  EXPECT_THAT(testing::complaint<UsageError>([&] { static_cast<void>(registry_.type("lstm")); }),
              AllOf(HasSubstr("'lstm'"), HasSubstr("transformer, rnn, lm, comet, metricx, bag")));
  EXPECT_THAT(
      testing::complaint<UsageError>([&] { static_cast<void>(registry_.preset("huge")); }),
      AllOf(HasSubstr("'huge'"),
            HasSubstr("transformer-big, transformer-small-modern, "
                      "transformer-base-modern, student-tiny, student-base, rnn, "
                      "rnn-small, rnn-deep, lm-small, lm-base, comet-small, comet-qe-small, bag-wide")));
  EXPECT_THAT(testing::complaint<UsageError>([&] {
                static_cast<void>(registry_.complete({{"type", "lstm"}}));
              }),
              HasSubstr("'lstm'"));
  EXPECT_THAT(testing::complaint<UsageError>([&] {
                static_cast<void>(registry_.complete({{"type", "bag"}, {"heads", "8"}}));
              }),
              HasSubstr("'bag' has no setting 'heads'"));
  EXPECT_THAT(testing::complaint<UsageError>([&] {
                static_cast<void>(registry_.complete({{"type", "bag"}, {"widht", "8"}}));
              }),
              HasSubstr("'bag' has no setting 'widht', did you mean 'width'?"));
}

TEST_F(RegistryTest, DefaultsFillWhatIsNotSaid) {
  EXPECT_EQ(registry_.complete({{"type", "bag"}, {"source_vocabulary", "5"}}),
            (ModelSettings{{"type", "bag"}, {"width", "8"}, {"source_vocabulary", "5"}}));
  const ModelSettings settings = registry_.complete({{"d_model", "64"}});
  EXPECT_EQ(settings.at("type"), "transformer");
  EXPECT_EQ(settings.at("d_model"), "64");
  EXPECT_EQ(settings.at("d_ff"), "2048");
  EXPECT_FALSE(settings.contains("source_vocabulary")) << "has no default";
}

TEST_F(RegistryTest, MakingChecksTheSettings) {
  EXPECT_THAT(testing::complaint<UsageError>([&] {
                registry_.make({{"type", "bag"}});
              }),
              HasSubstr("'source_vocabulary'"));
  EXPECT_THAT(testing::complaint<UsageError>([&] {
                registry_.make({{"d_model", "64"}});
              }),
              HasSubstr("'source_vocabulary'"));
}

/// Source words 3..8 translate to target words 4..9 in descending order: words a < b become f(b) f(a), which
/// follows from the bag and the previous word.
std::vector<Example> dictionary() {
  std::vector<Example> examples;
  for (int a = 3; a <= 8; ++a) {
    examples.push_back({a, {a}, {a + 1}});
    for (int b = a + 1; b <= 8; ++b) examples.push_back({10 * a + b, {a, b}, {b + 1, a + 1}});
  }
  return examples;
}

TEST_F(RegistryTest, ASecondModelLearnsAndTranslates) {
  const auto backend = open_backend({.device = "reference"});
  const std::unique_ptr<Model> model = registry_.make(
      {{"type", "bag"}, {"width", "16"}, {"source_vocabulary", "9"}, {"target_vocabulary", "10"}});
  Workers workers(*backend);
  model->allocate_for_training(*backend).initialize(1);
  const SpecialTokens special_tokens{.source_eos = 2, .target_eos = 2, .start = 1};
  Update update(*model, workers, special_tokens, {});
  AdamOptimizer adam(model->training_weights(), {});
  DeviceStatistics statistics(*backend, 1);
  const std::vector<Example> examples = dictionary();
  const double before = update.loss({{examples}}).loss;
  for (std::int64_t step = 1; step <= 150; ++step) {
    adam.zero_gradients();
    update.gradients({{{examples}}}, target_tokens({{examples}}), statistics);
    adam.update(statistics, step, {0.02});
  }
  EXPECT_LT(update.loss({{examples}}).loss, before / 20);

  for (const int beam : {1, 4}) {
    const auto found = search(*model, workers.whole(), examples, special_tokens, {.beam = beam});
    for (std::size_t i = 0; i < examples.size(); ++i) EXPECT_EQ(found[i][0].ids, examples[i].target);
  }
  for (const std::vector<double>& scores : score(*model, workers.whole(), examples, special_tokens)) {
    EXPECT_THAT(scores, ::testing::Each(::testing::Gt(-1)));
  }
}

}  // namespace
}  // namespace nmt
