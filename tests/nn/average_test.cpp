#include "nn/saved/average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>

#include "common/complaint.h"
#include "translate/scoring/scorer.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void average(const std::vector<std::string>& paths, const std::string& output) {
  average_models(std::vector<ModelFile>(paths.begin(), paths.end()), output);
}

class AverageTest : public ::testing::Test {
 protected:
  /// Writes a model with formula weights; `title` is a setting outside the model's own.
  std::string write(const std::string& name, const nlohmann::json& config, const std::string& variant,
                    const std::string& title = "x") {
    const ModelSettings settings = ModelRegistry::instance().complete(testing::settings_of(config));
    const auto model = testing::formula_model(config, 1.5, *backend_, true, 0, variant);
    save_model(folder_ / name,
               write_model_settings(settings) + "title: " + title +
                   "\ndecoding: {beam: " + (title == "last" ? "7" : "3") + "}\n",
               {vocabulary_, vocabulary_}, model->training_weights());
    return folder_ / name;
  }

  /// Writes the model of `config_` with these elements at the start of its output bias.
  template <class T>
  std::string write_bias(const std::string& name, const std::vector<T>& begin) {
    const ModelFile base(write("base", config_, ""));
    std::vector<T> bias(static_cast<std::size_t>(vocabulary_.size()));
    std::copy(begin.begin(), begin.end(), bias.begin());
    std::vector<FileTensor> tensors = base.tensors();
    for (FileTensor& tensor : tensors) {
      if (tensor.name != "output.bias") continue;
      tensor = {tensor.name, dtype_of<T>, tensor.shape, reinterpret_cast<const std::byte*>(bias.data())};
    }
    write_model_file(folder_ / name, base.config(), tensors);
    return folder_ / name;
  }

  std::vector<float> bias_of(const std::string& path, std::size_t count) {
    const ModelFile file(path);
    std::vector<float> bias(count);
    std::memcpy(bias.data(), file.find("output.bias")->data, count * sizeof(float));
    return bias;
  }

  std::string complaint(const std::vector<std::string>& paths, const std::string& output) {
    return testing::complaint([&] { average(paths, output); });
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Vocabulary vocabulary_ = testing::text_vocabulary();
  nlohmann::json config_ = testing::fixture("averages.json")[0]["config"];
  std::string output_ = folder_ / "mean";
};

TEST_F(AverageTest, ScoresAreThoseOfTheReferenceWithTheMeanWeights) {
  for (const auto& c : testing::fixture("averages.json")) {
    std::vector<std::string> paths;
    for (const std::string variant : c["variants"])
      paths.push_back(write("m" + variant, c["config"], variant));
    average(paths, output_);
    const SavedModel mean = open_model(output_, *backend_);
    Worker worker(*backend_);
    const auto scores = score(*mean.model, worker, testing::examples_of(c["source"], c["target"]),
                              testing::kFixtureSpecialTokens);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto expected = c["log_probabilities"][i].get<std::vector<double>>();
      ASSERT_EQ(scores[i].size(), expected.size());
      for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(scores[i][j], expected[j], 1e-9);
    }
  }
}

TEST_F(AverageTest, SumsAreInDoublePrecision) {
  const std::vector<std::string> paths = {write_bias<float>("a", {1e8F, 1, 0.1F, 3e38F}),
                                          write_bias<float>("b", {1, 2, 0.2F, 3e38F}),
                                          write_bias<float>("c", {-1e8F, 4, 0.3F, 3e38F})};
  average(paths, output_);
  const double tenths = (double{0.1F} + double{0.2F} + double{0.3F}) / 3;
  EXPECT_THAT(bias_of(output_, 4), ElementsAre(static_cast<float>(1.0 / 3), static_cast<float>(7.0 / 3),
                                               static_cast<float>(tenths), 3e38F));
}

TEST_F(AverageTest, TakesDoublePrecisionFiles) {
  average({write_bias<double>("a", {1 + 1e-9}), write_bias<float>("b", {-1})}, output_);
  EXPECT_THAT(bias_of(output_, 1), ElementsAre(static_cast<float>((1 + 1e-9 - 1) / 2)));
}

TEST_F(AverageTest, OneModelOrCopiesOfItGiveTheSameFile) {
  const std::string path = write("a", config_, "b");
  for (const std::size_t copies : {1, 3, 10}) {
    average(std::vector(copies, path), output_);
    EXPECT_EQ(folder_.read("mean"), folder_.read("a")) << copies << " copies";
  }
}

TEST_F(AverageTest, ModelsWithoutAChecksumAreCountedByTheirContents) {
  std::vector<ModelFile> files;
  for (const auto& [name, variant] : {std::pair{"a", ""}, {"b", "b"}, {"copy", "b"}}) {
    const auto file = std::make_shared<const ModelFile>(write(name, config_, variant));
    files.emplace_back(name, file->config(), file->tensors(), file);
  }
  average_models(files, output_);
  EXPECT_EQ(ModelFile(output_).metadata("averaged_models"), "2");
}

TEST_F(AverageTest, TheConfigurationIsThatOfTheLast) {
  average({write("a", config_, "", "first"), write("b", config_, "", "last")}, output_);
  const ModelFile mean(output_);
  EXPECT_THAT(mean.config(), HasSubstr("title: last"));
  EXPECT_EQ(blank_model(mean).decoding, (DecodingSettings{{"beam", "7"}}));
}

TEST_F(AverageTest, TheOutputMayBeOneOfTheFiles) {
  const std::string a = write("a", config_, ""), b = write("b", config_, "b");
  average({a, b}, output_);
  average({a, b}, a);
  EXPECT_EQ(folder_.read("a"), folder_.read("mean"));
}

TEST_F(AverageTest, OtherModelsAreRefusedByName) {
  nlohmann::json wider = config_, other_norm = config_;
  wider["d_ff"] = 32;
  other_norm["norm"] = "pre";
  const std::string a = write("a", config_, "");
  EXPECT_THAT(complaint({a, a, write("wider", wider, "")}, output_),
              AllOf(HasSubstr("wider' and"), HasSubstr("d_ff is 32 and 24;")));
  EXPECT_THAT(complaint({a, write("pre", other_norm, "")}, output_),
              AllOf(HasSubstr("pre' and"), HasSubstr("norm is pre and post;")));
  EXPECT_EQ(folder_.count(), 3) << "something was written";
}

TEST_F(AverageTest, OtherVocabulariesAreRefusedByName) {
  const std::string a = write("a", config_, "");
  vocabulary_ = testing::text_vocabulary(false, "bpe");
  EXPECT_THAT(complaint({a, write("b", config_, "")}, output_),
              AllOf(HasSubstr("b' and"), HasSubstr("a' have different source vocabularies")));
}

TEST_F(AverageTest, FilesThatAreNoWholeModelsAreRefused) {
  const std::string a = write("a", config_, "");
  std::string bytes = folder_.read("a");
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THAT(complaint({a, folder_.write("bad", bytes)}, output_), HasSubstr("bad' is damaged"));
  EXPECT_THAT(complaint({folder_ / "missing"}, output_), HasSubstr("missing': No such file"));
  const ModelFile file(a);
  write_model_file(folder_ / "part", file.config(), {file.tensors().begin() + 1, file.tensors().end()});
  EXPECT_THAT(complaint({a, folder_ / "part"}, output_), HasSubstr("part' has no tensor"));
  EXPECT_EQ(folder_.count(), 3);
}

TEST_F(AverageTest, AFullDiskIsAnError) {
  EXPECT_THAT(complaint({write("a", config_, "")}, "/dev/full"), HasSubstr("cannot write '/dev/full'"));
}

}  // namespace
}  // namespace nmt
