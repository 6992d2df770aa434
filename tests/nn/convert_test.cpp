// Models in other precisions, from file to file.
#include "nn/saved/convert.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "common/error.h"
#include "common/mended_mappings.h"
#include "translate/scoring/scorer.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConvertTest : public ::testing::Test {
 protected:
  /// Writes a model with learned positions.
  std::string write(const std::string& name, double gain = 1) {
    const SavedModel model =
        testing::text_model(*backend_, testing::text_vocabulary(), {{"positions", "learned"}});
    const TrainingWeights& weights = model.model->training_weights();
    std::vector<double> values = download_reals(*backend_, weights.values());
    for (double& value : values) value *= gain;
    upload_reals(*backend_, weights.values(), values);
    save_model(folder_ / name, write_model_settings(model.settings) + "title: x\ndecoding: {beam: 7}\n",
               model.vocabularies, weights, {{"updates", "7"}, {"averaged_models", "2"}});
    return folder_ / name;
  }

  std::string converted(const std::string& from, DType weights, const std::string& name) {
    convert_model(ModelFile(from), weights, folder_ / name);
    return folder_ / name;
  }

  std::vector<std::vector<double>> scores(const std::string& path, const std::string& precision = "auto") {
    const auto backend = open_backend({.device = "reference", .precision = precision});
    const SavedModel model = open_model(path, *backend);
    Worker worker(*backend);
    std::vector<Example> examples;
    for (const std::string& line : testing::source_lines(5)) {
      const std::vector<int> ids = model.vocabularies.source.encode(line);
      examples.push_back({std::ssize(examples), ids, ids});
    }
    return score(*model.model, worker, examples, model.special_tokens);
  }

  /// Returns the mean absolute difference between scores of tokens, which are about -5.
  static double difference(const std::vector<std::vector<double>>& a,
                           const std::vector<std::vector<double>>& b) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < a[i].size(); ++j, ++count) sum += std::abs(a[i][j] - b[i][j]);
    }
    return sum / count;
  }

  /// Returns the element types of tensors that can have different types.
  static std::vector<DType> types(const std::string& path) {
    const ModelFile file(path);
    std::vector<DType> types;
    for (const char* name : {"embedding.weight", "encoder.layers.0.self_attn.in_proj_weight",
                             "encoder.layers.0.self_attn.in_proj_bias", "source_positions.weight"})
      types.push_back(file.find(name)->dtype);
    return types;
  }

  std::string complaint(const std::string& from, DType weights) {
    try {
      converted(from, weights, "new");
      return "";
    } catch (const Error& error) {
      EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
      return error.what();
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
};

TEST_F(ConvertTest, NothingComesOfAFileThatIsTruncatedMeanwhile) {
  const testing::MendedMappings mended;
  const std::string path = write("cut");
  const ModelFile file(path);
  std::filesystem::resize_file(path, 0);
  for (const std::function<void()>& use : std::vector<std::function<void()>>{
           [&] { open_model(file, *backend_); }, [&] { open_model_to_train(file, *backend_); },
           [&] { convert_model(file, DType::i8, folder_ / "new"); },
           [&] { convert_model(file, std::nullopt, folder_ / "new"); },
           [&] { converted_model(file, DType::bf16); }}) {
    EXPECT_THAT(use, ::testing::ThrowsMessage<Error>(
                         HasSubstr("'" + path + "' was truncated or overwritten while it was read")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
}

TEST_F(ConvertTest, MatricesOfWeightsAloneChangeTheirType) {
  const std::string model = write("model");
  for (const DType type : {DType::i8, DType::bf16, DType::f16, DType::f32}) {
    EXPECT_THAT(types(converted(model, type, "new")), ElementsAre(type, type, DType::f32, DType::f32))
        << name_of(type);
  }
}

TEST_F(ConvertTest, ScoresChangeByTheRoundingAlone) {
  const std::string model = write("model");
  const auto exact = scores(model);
  EXPECT_EQ(scores(converted(model, DType::f32, "f32")), exact);
  EXPECT_LT(difference(scores(converted(model, DType::f16, "f16")), exact), 0.01);
  EXPECT_LT(difference(scores(converted(model, DType::bf16, "bf16")), exact), 0.05);
  EXPECT_LT(difference(scores(converted(model, DType::i8, "int8")), exact), 0.2);
}

TEST_F(ConvertTest, AQuantizedFileIsWhatIsQuantizedWhenItIsOpened) {
  const std::string model = write("model"), small = converted(model, DType::i8, "int8");
  EXPECT_EQ(scores(small, "int8"), scores(model, "int8"));
  EXPECT_NE(scores(small, "int8"), scores(small)) << "activations are quantized as well";
  EXPECT_LT(difference(scores(small, "int8"), scores(small)), 0.2);
}

TEST_F(ConvertTest, WhatHasTheTypeStaysTheSameBits) {
  const std::string model = write("model");
  converted(model, DType::f32, "f32");
  EXPECT_EQ(folder_.read("f32"), folder_.read("model"));
  converted(converted(model, DType::i8, "int8"), DType::i8, "again");
  EXPECT_EQ(folder_.read("again"), folder_.read("int8"));
}

TEST_F(ConvertTest, IntegersBecomeTheNumbersThatTheyStandFor) {
  const std::string small = converted(write("model"), DType::i8, "int8");
  const std::string back = converted(small, DType::f32, "f32");
  EXPECT_LT(difference(scores(back), scores(small)), 1e-4) << "but for the rounding to f32";
  EXPECT_EQ(ModelFile(back).find("embedding.weight.scale"), nullptr);
}

TEST_F(ConvertTest, AllElseStaysWhatItWas) {
  const ModelFile model(write("model")), small(converted(model.path(), DType::i8, "int8"));
  EXPECT_EQ(small.config(), model.config());
  EXPECT_EQ(small.further_metadata(), model.further_metadata());
  EXPECT_EQ(small.metadata("updates"), "7");
  EXPECT_NE(small.metadata("checksum"), model.metadata("checksum"));
  const FileTensor *before = model.find("vocabulary.shared"), *after = small.find("vocabulary.shared");
  ASSERT_EQ(after->bytes(), before->bytes());
  EXPECT_EQ(std::memcmp(after->data, before->data, before->bytes()), 0);
}

TEST_F(ConvertTest, WhatATypeCannotHoldIsRefused) {
  const std::string large = write("model", 1e6);
  EXPECT_THAT(complaint(large, DType::f16), HasSubstr("weights above 65504"));
  const ModelFile usual(write("usual"));
  FileTensor largest = *usual.find("embedding.weight");
  largest.data = nullptr;
  largest.make = [columns = largest.shape.back()](RowRange range) {
    return std::vector(static_cast<std::size_t>(range.count * columns), std::numeric_limits<float>::max());
  };
  std::vector<FileTensor> tensors = usual.tensors();
  std::ranges::replace_if(
      tensors, [&](const FileTensor& tensor) { return tensor.name == largest.name; }, largest);
  write_model_file(folder_ / "largest", usual.config(), tensors);
  EXPECT_THAT(complaint(folder_ / "largest", DType::bf16),
              HasSubstr("'embedding.weight' of '" + (folder_ / "largest") +
                        "' has weights above the largest number of bf16"));
  EXPECT_EQ(complaint(large, DType::bf16), "");
}

TEST_F(ConvertTest, FilesThatAreNoWholeModelsAreRefused) {
  const ModelFile model(write("model"));
  write_model_file(folder_ / "part", model.config(), {model.tensors().begin() + 1, model.tensors().end()});
  EXPECT_THAT(complaint(folder_ / "part", DType::i8), HasSubstr("part' has no tensor"));
  const std::string bytes = folder_.read("model");
  EXPECT_THAT(complaint(folder_.write("cut", bytes.substr(0, bytes.size() - 9)), DType::i8),
              HasSubstr("cut' is damaged"));
  EXPECT_THAT(complaint(folder_ / "missing", DType::i8), HasSubstr("missing"));
}

}  // namespace
}  // namespace nmt
