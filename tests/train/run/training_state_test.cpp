#include "train/run/training_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "backend/devices.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "nn/weights/parameter_files.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TrainingStateTest : public ::testing::TestWithParam<std::string> {
 protected:
  TrainingStateTest()
      : backend_(testing::open_device(GetParam())), vocabularies_{small_vocabulary(), small_vocabulary()} {
    parameters_.add("a.weight", ParameterSpec::matrix(3, 7));
    parameters_.add("a.bias", ParameterSpec::vector(5));
    weights_.emplace(parameters_, *backend_);
  }

  Tensor buffer() const {
    return allocate_tensor(*backend_, 1, weights_->values().columns(), backend_->precision().master);
  }
  std::vector<FileTensor> tensors_of(const std::string& prefix, const Tensor& values) const {
    return tensors(*weights_, prefix, values, values.dtype());
  }
  void write(const TrainingState& state, std::vector<FileTensor> tensors = {}) {
    write_state(path_, "model:\n", vocabularies_, state, std::move(tensors));
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "state.safetensors";
  std::unique_ptr<Backend> backend_;
  Vocabularies vocabularies_;
  Parameters parameters_;
  std::optional<TrainingWeights> weights_;
};

TEST_P(TrainingStateTest, ComesBackToTheLastBit) {
  const TrainingState state{
      .counters = {.step = 7, .epoch = 2, .source_tokens = 11, .target_tokens = 13, .data_wait = 0.7},
      .position = {.epoch = 1, .pool = 3, .splits = {{25000, 17}, {12000, 0}}},
      .epochs = 1.0 / 3,
      .stage = {.stage = 2, .begin = {.updates = 5, .epochs = 1.0 / 7, .minutes = 0.1, .target_tokens = 9}},
      .stages = {{"first", {{"until", "1 epoch"}}}, {"second", {}}, {"third", {}}},
      .meter = {.window = {0.1, 0.2, 19},
                .before = {0.3, 0.4, 18},
                .rate = 1e-7 / 3,
                .gradient_norm = 5.0 / 7,
                .seconds = 0.3},
      .loss_scale = LossScale{.value = 0x1p17, .updates = 1999},
      .best = {{5, 2.0 / 3}, {4, 0.7}},
      .stalled = 2,
      .rate_factor = 1.0 / 9,
      .logged = 6,
      .validated = 4,
      .validation_due = true,
      .metrics_bytes = 4321,
      .corpus = 0xFEDCBA9876543210U,
      .validation = 0xFEDCBA9876543211U,
      .best_by = "bleu",
      .keep_last = 3,
      .keep_best = 2};
  write(state);
  const TrainingState back = read_state(ModelFile(path_, kStateFormat));
  EXPECT_EQ(back.counters.step, 7);
  EXPECT_EQ(back.counters.epoch, 2);
  EXPECT_EQ(back.counters.source_tokens, 11);
  EXPECT_EQ(back.counters.target_tokens, 13);
  EXPECT_EQ(back.counters.data_wait, 0.7);
  EXPECT_EQ(back.position, state.position);
  EXPECT_EQ(back.epochs, state.epochs);
  EXPECT_EQ(back.stage.stage, 2U);
  EXPECT_EQ(back.stage.begin.updates, 5);
  EXPECT_EQ(back.stage.begin.epochs, state.stage.begin.epochs);
  EXPECT_EQ(back.stage.begin.minutes, 0.1);
  EXPECT_EQ(back.stage.begin.target_tokens, 9);
  EXPECT_EQ(back.stages, state.stages);
  EXPECT_EQ(back.meter.window.loss, 0.1);
  EXPECT_EQ(back.meter.window.nll, 0.2);
  EXPECT_EQ(back.meter.window.tokens, 19);
  EXPECT_EQ(back.meter.before.loss, 0.3);
  EXPECT_EQ(back.meter.before.nll, 0.4);
  EXPECT_EQ(back.meter.before.tokens, 18);
  EXPECT_EQ(back.meter.rate, state.meter.rate);
  EXPECT_EQ(back.meter.gradient_norm, state.meter.gradient_norm);
  EXPECT_EQ(back.meter.seconds, 0.3);
  EXPECT_EQ(back.loss_scale.value().value, 0x1p17);
  EXPECT_EQ(back.loss_scale.value().updates, 1999);
  EXPECT_EQ(back.best, state.best);
  EXPECT_EQ(back.stalled, 2);
  EXPECT_EQ(back.rate_factor, state.rate_factor);
  EXPECT_EQ(back.logged, 6);
  EXPECT_EQ(back.validated, 4);
  EXPECT_TRUE(back.validation_due);
  EXPECT_EQ(back.metrics_bytes, 4321);
  EXPECT_EQ(back.corpus, state.corpus);
  EXPECT_EQ(back.validation, state.validation);
  EXPECT_EQ(back.best_by, "bleu");
  EXPECT_EQ(back.keep_last, 3);
  EXPECT_EQ(back.keep_best, 2);
}

TEST_P(TrainingStateTest, CanBeLookedAtWithoutReadingTheRest) {
  EXPECT_FALSE(peek_at_state(path_)) << "there is none";
  write({.counters = {.step = 7}, .epochs = 1.5, .stalled = 2}, tensors_of("weights.", buffer()));
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 8);
  const std::optional<TrainingState> state = peek_at_state(path_);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->counters.step, 7);
  EXPECT_EQ(state->epochs, 1.5);
  EXPECT_EQ(state->stalled, 2);
  EXPECT_THROW(read_state(ModelFile(path_, kStateFormat)), Error);
  folder_.write("state.safetensors", "garbage, and more of it");
  EXPECT_FALSE(peek_at_state(path_));
}

TEST_P(TrainingStateTest, HoldsBuffersAndVocabularies) {
  const Tensor moment = buffer(), back = buffer();
  const std::vector<double> values = {1.0 / 3, 2, 3, 4, 5};
  upload_reals(*backend_, TrainingWeights::span(moment, parameters_.entries()[1]), values);
  std::vector<FileTensor> tensors = tensors_of("weights.", weights_->values());
  std::ranges::move(tensors_of("moment.", moment), std::back_inserter(tensors));
  write({}, std::move(tensors));
  const ModelFile file(path_, kStateFormat);
  EXPECT_TRUE(embedded_vocabularies(file).source == vocabularies_.source);
  load(*weights_, file, "moment.", back);
  EXPECT_EQ(download_reals(*backend_, back), download_reals(*backend_, moment));
}

TEST_P(TrainingStateTest, IsNoModelAndNoModelIsAState) {
  write({}, tensors_of("", weights_->values()));
  EXPECT_THAT([&] { ModelFile{path_}; }, ThrowsMessage<Error>(HasSubstr("is the training state of a run")));
  save_model(path_, "model:\n", vocabularies_, *weights_);
  EXPECT_THAT([&] { ModelFile(path_, kStateFormat); },
              ThrowsMessage<Error>(HasSubstr("not an nmt training state")));
}

TEST_P(TrainingStateTest, AnOlderOneWasValidatedByWhateverItWas) {
  write({.counters = {.step = 7}});
  auto progress = nlohmann::json::parse(ModelFile(path_, kStateFormat).metadata("progress"));
  progress.erase("window_before");
  progress.erase("logged");
  progress.erase("validated");
  progress.erase("validation_due");
  progress.erase("validation");
  progress.erase("best_by");
  progress.erase("keep_last");
  progress.erase("keep_best");
  write_model_file(path_, "", {}, kStateFormat, {{"progress", progress.dump()}});
  const TrainingState back = read_state(ModelFile(path_, kStateFormat));
  EXPECT_EQ(back.logged, 7);
  EXPECT_EQ(back.validated, 7);
  EXPECT_FALSE(back.validation_due);
  EXPECT_EQ(back.validation, 0U);
  EXPECT_EQ(back.best_by, "");
  EXPECT_EQ(back.keep_last, 0);
  EXPECT_FALSE(back.loss_scale);
}

TEST_P(TrainingStateTest, RefusesWhatIsIncomplete) {
  for (const char* progress : {"", "{}", "[1]", "{\"step\": \"x\"}"}) {
    write_model_file(path_, "", {}, kStateFormat, {{"progress", progress}});
    EXPECT_THAT([&] { read_state(ModelFile(path_, kStateFormat)); },
                ThrowsMessage<Error>(HasSubstr("not a complete training state")));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, TrainingStateTest, ::testing::ValuesIn(testing::devices()),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace nmt
