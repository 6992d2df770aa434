// Files with updates of low rank: they open as the model with its updates, with the right base only.
#include "nn/saved/low_rank_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <utility>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "foreign/open.h"
#include "nn/saved/convert.h"
#include "translate/scoring/scorer.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

namespace fs = std::filesystem;

class LowRankModelTest : public ::testing::Test {
 protected:
  LowRankModelTest() {
    const SavedModel model = testing::text_model(*backend_, testing::text_vocabulary());
    save_model(base_, write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
  }

  /// Trains nothing, but writes random updates of the base.
  SavedModel write_updates(const std::string& path, const LowRankSettings& settings = {2, 6}) {
    const ModelFile file = open_model_file(base_);
    SavedModel model = blank_model(file);
    load_frozen(*model.model, file, *backend_, settings);
    TrainingWeights& weights = model.model->training_weights();
    std::mt19937 generator(3);
    std::normal_distribution<double> normal(0, 0.1);
    std::vector<double> values(static_cast<std::size_t>(weights.values().size()));
    for (double& value : values) value = static_cast<float>(normal(generator));
    upload_reals(*backend_, weights.values(), values);
    weights.values_changed();
    model.base = {settings, base_, checksum_of_weights(file)};
    save_model(path, file.config(), model.vocabularies, weights, low_rank_metadata(*model.base));
    return model;
  }

  std::vector<std::vector<double>> scores(const SavedModel& model) const {
    Worker worker(*backend_);
    std::vector<Example> examples;
    for (const std::string& line : testing::source_lines(5)) {
      const std::vector<int> ids = model.vocabularies.source.encode(line);
      examples.push_back({std::ssize(examples), ids, ids});
    }
    return score(*model.model, worker, examples, model.special_tokens);
  }

  TemporaryFolder folder_;
  std::string base_ = folder_ / "base.safetensors", updates_ = folder_ / "updates.safetensors";
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
};

TEST_F(LowRankModelTest, TheSameScoresAsInTrainingAndAfterMerging) {
  const SavedModel trained = write_updates(updates_);
  EXPECT_LT(fs::file_size(updates_), fs::file_size(base_));
  const auto expected = scores(trained);
  const ModelFile opened = open_model_file(updates_);
  convert_model(opened, std::nullopt, folder_ / "merged.safetensors");
  const auto merged = scores(open_model(folder_ / "merged.safetensors", *backend_));
  EXPECT_EQ(scores(open_model(opened, *backend_)), merged) << "also where the sum is made in memory";
  const auto before = scores(open_model(base_, *backend_));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_THAT(merged[i], Pointwise(DoubleNear(1e-5), expected[i]));
    EXPECT_NE(before[i], expected[i]);
  }
  const auto reference = low_rank_base(ModelFile(folder_ / "merged.safetensors"), kMergedKey);
  ASSERT_TRUE(reference.has_value());
  EXPECT_EQ(reference->path, base_);
  EXPECT_EQ(low_rank_base(ModelFile(folder_ / "merged.safetensors")), std::nullopt);
}

TEST_F(LowRankModelTest, AQuantizedBaseIsWidened) {
  convert_model(ModelFile(base_), DType::i8, folder_ / "int8.safetensors");
  base_ = folder_ / "int8.safetensors";
  const auto expected = scores(write_updates(updates_));
  const auto opened = scores(open_model(open_model_file(updates_), *backend_));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_THAT(opened[i], Pointwise(DoubleNear(1e-5), expected[i]));
}

TEST_F(LowRankModelTest, UpdatesCanBeTheBaseOfOthers) {
  write_updates(updates_);
  base_ = updates_;
  const auto expected = scores(write_updates(folder_ / "second.safetensors"));
  const auto opened = scores(open_model(open_model_file(folder_ / "second.safetensors"), *backend_));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_THAT(opened[i], Pointwise(DoubleNear(1e-5), expected[i]));
}

TEST_F(LowRankModelTest, TheBaseMayBeNextToTheUpdates) {
  write_updates(updates_);
  fs::create_directory(folder_ / "other");
  fs::rename(base_, folder_ / "other/base.safetensors");
  const auto open = [](const std::string& path) {
    return testing::complaint([&] { open_model_file(path); });
  };
  EXPECT_THAT(open(updates_), HasSubstr("contains only the updates of a model that is missing"));
  fs::rename(updates_, folder_ / "other/updates.safetensors");
  EXPECT_EQ(open(folder_ / "other/updates.safetensors"), "");
}

TEST_F(LowRankModelTest, ACheckpointOfTheUpdatesWithTheNameOfTheBaseIsNotTheBase) {
  fs::create_directory(folder_ / "first");
  fs::create_directory(folder_ / "second");
  fs::rename(base_, folder_ / "first/step-1.safetensors");
  base_ = folder_ / "first/step-1.safetensors";
  write_updates(folder_ / "second/step-1.safetensors");
  fs::copy_file(folder_ / "second/step-1.safetensors", folder_ / "second/last.safetensors");
  fs::rename(base_, folder_ / "kept");
  for (const char* updates : {"second/step-1.safetensors", "second/last.safetensors"}) {
    EXPECT_THAT(testing::complaint([&] { open_model_file(folder_ / updates); }),
                HasSubstr("a model that is missing: '" + base_ + "'"))
        << updates;
  }
}

TEST_F(LowRankModelTest, BasesAreFilesOfTheModel) {
  EXPECT_THAT(files_of_model(base_), ::testing::IsEmpty());
  write_updates(updates_);
  EXPECT_THAT(files_of_model(updates_), ::testing::ElementsAre(base_));
  const std::string first = std::exchange(base_, updates_);
  write_updates(folder_ / "second.safetensors");
  EXPECT_THAT(files_of_model(folder_ / "second.safetensors"), ::testing::ElementsAre(updates_, first));
  fs::remove(first);
  EXPECT_THAT(files_of_model(folder_ / "second.safetensors"), ::testing::ElementsAre(updates_));
}

TEST_F(LowRankModelTest, AnotherBaseIsRefused) {
  write_updates(updates_);
  const SavedModel other =
      testing::text_model(*backend_, testing::text_vocabulary(), {{"positions", "learned"}});
  save_model(base_, write_model_settings(other.settings), other.vocabularies,
             other.model->training_weights());
  EXPECT_THAT(testing::complaint([&] { open_model_file(updates_); }),
              HasSubstr("is not the model that '" + updates_ + "' was trained on"));
}

TEST_F(LowRankModelTest, ReferencesInACircleAreRefused) {
  const SavedModel model = write_updates(updates_);
  save_model(updates_, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights(), low_rank_metadata({{2, 6}, updates_, "0"}));
  EXPECT_THAT(testing::complaint([&] { open_model_file(updates_); }), HasSubstr("based on each other"));
}

TEST_F(LowRankModelTest, InvalidFilesAreRefused) {
  const SavedModel model = write_updates(updates_);
  const auto complaint = [&](const std::string& lora, std::vector<FileTensor> tensors) {
    save_model(updates_, write_model_settings(model.settings), model.vocabularies, std::move(tensors),
               {{kLowRankKey, lora}});
    return testing::complaint([&] { blank_model(open_model_file(updates_)); });
  };
  for (const char* lora : {"{", "{}", R"({"rank": 0, "alpha": 1, "base": "x", "base_checksum": ""})",
                           R"({"rank": "2", "alpha": 1, "base": "x", "base_checksum": ""})"})
    EXPECT_THAT(complaint(lora, {}), HasSubstr("its metadata `lora` are invalid")) << lora;
  const std::string valid = low_rank_metadata(*model.base).at(kLowRankKey);
  const auto tensor = [](const std::string& name, std::int64_t rows, std::int64_t columns) {
    return FileTensor{name, DType::f32, {rows, columns}, nullptr, [rows, columns](RowRange) {
                        return std::vector<float>(static_cast<std::size_t>(rows * columns));
                      }};
  };
  const std::string weight = "encoder.layers.0.linear1.weight";
  EXPECT_THAT(complaint(valid, {tensor(low_rank_a("nothing"), 2, 4)}), HasSubstr("has no tensor 'nothing'"));
  EXPECT_THAT(complaint(valid, {tensor(low_rank_a(weight), 2, 4)}), HasSubstr(low_rank_b(weight)));
  EXPECT_THAT(complaint(valid, {tensor(low_rank_a(weight), 2, 4), tensor(low_rank_b(weight), 2, 5)}),
              HasSubstr("does not fit"));
  EXPECT_THAT(complaint(valid, {tensor(low_rank_a(weight), 3, 4), tensor(low_rank_b(weight), 3, 5)}),
              HasSubstr("2 rows for each matrix"));
}

}  // namespace
}  // namespace nmt
