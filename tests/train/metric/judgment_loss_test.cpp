#include "train/metric/judgment_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "backend/devices.h"
#include "nn/formula_weights.h"
#include "nn/registry.h"
#include "tensor/workers.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

/// A COMET model for training, and judgments.
class JudgmentLossTest : public ::testing::TestWithParam<std::string> {
 protected:
  JudgmentLossTest() : backend_(testing::open_device(GetParam())), worker_(*backend_) {
    const nlohmann::json& fixture = fixture_;
    std::vector<EncodedJudgment> judgments;
    for (const nlohmann::json& each : fixture.at("judgments")) {
      judgments.push_back(
          {each.at("source"), each.at("translation"), each.at("reference"), each.at("score").get<double>()});
    }
    corpus_.emplace(std::move(judgments));
    scale_ = allocate_tensor(*backend_, 1, 1, backend_->precision().sum);
    upload_reals(*backend_, scale_, {1});
    random_ = allocate_tensor(*backend_, 1, 2, DType::i32);
    const std::vector<std::int32_t> seed_and_step = {7, 3};
    backend_->upload(random_, seed_and_step.data());
  }

  /// Makes the model of a variant with the weights of the fixture.
  std::unique_ptr<CometModel> model_of(const nlohmann::json& variant) {
    auto model = std::make_unique<CometModel>(
        CometConfig(ModelRegistry::instance().complete(testing::settings_of(variant.at("settings")))));
    model->allocate_for_training(*backend_);
    initialize_metric(*model, 1);
    for (const Parameters::Entry& entry : model->parameters().entries()) {
      if (entry.parameter.name != "mix.weight")
        upload_reals(*backend_, entry.master, testing::formula_weight(entry, 1));
    }
    model->training_weights().values_changed();
    return model;
  }

  Batch batch() const {
    Batch batch;
    for (std::int64_t id = 0; id < corpus_->size(); ++id) batch.examples.push_back({.id = id});
    return batch;
  }

  /// Returns the loss, and adds its gradients.
  double loss_of(const CometModel& model, const DropoutRates& rates = {}) {
    Graph g(worker_, rates, random_);
    const double loss = JudgmentLoss(model, *corpus_)(g, batch(), scale_);
    g.backward();
    return loss;
  }

  std::vector<double> gradient(const CometModel& model, const std::string& name) const {
    const auto& entries = model.parameters().entries();
    const auto found = std::ranges::find(entries, name, [](const auto& e) { return e.parameter.name; });
    return download_reals(*backend_, found->parameter.gradient);
  }

  nlohmann::json fixture_ = testing::fixture("training.json", "comet");
  std::unique_ptr<Backend> backend_;
  Worker worker_;
  std::optional<JudgmentCorpus> corpus_;
  Tensor scale_, random_;
};

TEST_P(JudgmentLossTest, LossAndGradientsAreThoseOfPyTorch) {
  const double tolerance = GetParam() == "reference" ? 2e-6 : 1e-4;
  for (const nlohmann::json& variant : fixture_.at("variants")) {
    const auto model = model_of(variant);
    EXPECT_NEAR(loss_of(*model), variant.at("loss").get<double>(), tolerance)
        << variant.at("settings").dump();
    for (const auto& [name, expected] : variant.at("gradients").items()) {
      EXPECT_THAT(gradient(*model, name),
                  Pointwise(DoubleNear(tolerance), expected.get<std::vector<double>>()))
          << name << " of " << variant.at("settings").dump();
    }
  }
}

TEST_P(JudgmentLossTest, GradientsWithDropoutAreFiniteDifferences) {
  if (backend_->precision().sum != DType::f64) return;
  const DropoutRates rates{.sublayer = 0.3, .attention = 0.2, .activation = 0.1};
  const auto model = model_of(fixture_.at("variants").at(0));
  loss_of(*model, rates);
  std::map<std::string, std::vector<double>> all;
  for (const Parameters::Entry& entry : model->parameters().entries())
    all[entry.parameter.name] = gradient(*model, entry.parameter.name);
  for (const Parameters::Entry& entry : model->parameters().entries()) {
    if (entry.parameter.name == "mix.weight") continue;
    const std::vector<double>& gradients = all.at(entry.parameter.name);
    std::vector<double> values = download_reals(*backend_, entry.master);
    for (std::size_t i = 0; i < values.size(); i += 1 + values.size() / 4) {
      const double value = values[i], step = 1e-5;
      const auto loss_at = [&](double x) {
        values[i] = x;
        upload_reals(*backend_, entry.master, values);
        model->training_weights().values_changed();
        return loss_of(*model, rates);
      };
      const double slope = (loss_at(value + step) - loss_at(value - step)) / (2 * step);
      loss_at(value);
      EXPECT_NEAR(gradients[i], slope, 1e-6 * std::max(1.0, std::abs(slope))) << entry.parameter.name;
    }
  }
}

TEST_P(JudgmentLossTest, BatchesAddUp) {
  const auto model = model_of(fixture_.at("variants").at(0));
  const double whole = loss_of(*model);
  double sum = 0;
  for (const Example& example : batch().examples) {
    Graph g(worker_, {}, random_);
    sum += JudgmentLoss(*model, *corpus_)(g, {{example}}, scale_);
  }
  EXPECT_NEAR(sum, whole, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Devices, JudgmentLossTest, ::testing::Values("reference", "cpu"));

TEST(CheckTrainable, RefusesWhatTheLossDoesNotCompute) {
  const auto check = [](const std::string& name, const std::string& value) {
    check_trainable(CometConfig(
        ModelRegistry::instance().complete({{"type", "comet"}, {"source_vocabulary", "9"}, {name, value}})));
  };
  EXPECT_NO_THROW(check("kind", "referenceless"));
  EXPECT_THAT([&] { check("kind", "unified"); },
              ThrowsMessage<ModelSettingError>(HasSubstr("only metrics of kind regression")));
  EXPECT_THAT([&] { check("pooling", "max"); }, ThrowsMessage<ModelSettingError>(HasSubstr("'mean' only")));
  EXPECT_THAT([&] { check("mix_norm", "true"); },
              ThrowsMessage<ModelSettingError>(HasSubstr("without mix_norm only")));
}

}  // namespace
}  // namespace nmt
