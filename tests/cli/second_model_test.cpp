// Tests another type of model than the Transformer, registered as a program would do it: subcommands train,
// average, translate and score it without special code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "nn/bag_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class SecondModelTest : public ::testing::Test {
 protected:
  SecondModelTest() {
    ModelRegistry& registry = ModelRegistry::instance();
    registry.add(testing::bag_model());
    registry.add(Preset{"bag-small", "", {{"type", "bag"}, {"width", "16"}}, {{"warmup", "10"}}});
    registry.add(Preset{"bag-large", "", {{"type", "bag"}, {"width", "64"}}, {{"warmup", "20"}}});
    const GeneratedText::Pair text = GeneratedText(1).text(200);
    source_ = folder_.write("source", text.source);
    target_ = folder_.write("target", text.target);
    run(run_vocab, {"-i", source_, "-i", target_, "-o", vocabulary_, "--size", "60"});
  }
  ~SecondModelTest() override {
    ModelRegistry::instance() = before_;
    program_log().set_level(LogLevel::info);
  }

  /// Returns what a command prints.
  std::string run(int (*command)(const Arguments&), Arguments arguments) {
    arguments.emplace_back("--quiet");
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(command(arguments), 0);
    return ::testing::internal::GetCapturedStdout();
  }
  std::string train(const std::string& name, const Arguments& more) {
    Arguments arguments = {"--source", source_, "--target", target_, "-o", folder_ / name, "--steps", "6"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(run_train, arguments);
  }
  /// Trains a run of the new type.
  void train_bag() { train("run", {"--type", "bag", "--vocab", vocabulary_, "--save-every", "3"}); }

  std::string complaint(const Arguments& more) {
    try {
      train("refused", more);
    } catch (const UsageError& error) {
      ::testing::internal::GetCapturedStdout();
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  ModelRegistry before_ = ModelRegistry::instance();
  std::string source_, target_, vocabulary_ = folder_ / "words.spm";
};

TEST_F(SecondModelTest, IsTrainedWithItsOwnSettings) {
  train_bag();
  const std::string config = folder_.read("run/config.yml");
  EXPECT_THAT(config, AllOf(HasSubstr("preset: bag-small"), HasSubstr("type: bag"), HasSubstr("width: 16"),
                            HasSubstr("warmup: 10"), Not(HasSubstr("d_model")), Not(HasSubstr("tied"))));
  const auto line = nlohmann::json::parse(lines_of(folder_.read("run/metrics.jsonl")).back());
  EXPECT_DOUBLE_EQ(line.at("learning_rate"), std::pow(16, -0.5) * 6 * std::pow(10, -1.5));
  const std::string weights = folder_.read("run/last.safetensors");
  run(run_train, {"-o", folder_ / "run"});  // the run is finished
  run(run_train, {"-o", folder_ / "run", "--steps", "8"});
  EXPECT_NE(folder_.read("run/last.safetensors"), weights);
}

TEST_F(SecondModelTest, IsAveragedTranslatedAndScored) {
  train_bag();
  const std::string model = folder_ / "mean.safetensors";
  run(run_average, {folder_ / "run", "--last", "2", "-o", model});
  EXPECT_THAT(lines_of(run(run_translate, {"-m", model, "-i", source_})), SizeIs(200));
  const auto scores = lines_of(run(run_score, {"-m", model, "--source", source_, "--target", target_}));
  ASSERT_THAT(scores, SizeIs(200));
  for (const std::string& score : scores) EXPECT_LT(std::stod(score), 0);
  EXPECT_THAT(run(run_info, {model}), AllOf(HasSubstr("bag"), HasSubstr("width"), Not(HasSubstr("d_model"))));
}

TEST_F(SecondModelTest, ATrainedOneBringsItsType) {
  train("wide", {"--type", "bag", "--vocab", vocabulary_, "--width", "60"});
  train("next", {"--from-weights", folder_ / "wide/last.safetensors"});
  EXPECT_THAT(folder_.read("next/config.yml"), AllOf(HasSubstr("type: bag"), HasSubstr("width: 60")));
  EXPECT_THAT(complaint({"--from-weights", folder_ / "wide/last.safetensors", "--heads", "2"}),
              AllOf(HasSubstr("--heads"), HasSubstr("is of type bag")));
}

TEST_F(SecondModelTest, SettingsOfAnotherTypeAreRefused) {
  const Arguments vocabulary = {"--vocab", vocabulary_};
  const auto with_vocabulary = [&](Arguments more) {
    more.insert(more.end(), vocabulary.begin(), vocabulary.end());
    return complaint(more);
  };
  EXPECT_EQ(with_vocabulary({"--type", "bag", "--d-model", "8"}),
            "--d-model needs a model of type transformer or lm or comet");
  EXPECT_EQ(with_vocabulary({"--preset", "transformer-tiny", "--width", "8"}),
            "--width needs a model of type bag");
  EXPECT_EQ(with_vocabulary({"--preset", "transformer-tiny", "--type", "bag"}),
            "--preset transformer-tiny is of type transformer, not bag; leave out --type, or choose a preset "
            "of this type (bag-small, bag-large)");
  EXPECT_THAT(with_vocabulary({"--preset", "bag-large", "--tied-embeddings", "none"}),
              HasSubstr("--tied-embeddings needs a model of type transformer"));
}

TEST_F(SecondModelTest, HelpListsItsKeysApart) {
  const std::string help = run(run_train, {"--help"});
  const std::size_t group = help.find("model of type bag:");
  ASSERT_NE(group, std::string::npos) << help;
  EXPECT_GT(help.find("--width"), group);
  EXPECT_LT(help.find("--d-model"), group);
}

}  // namespace
}  // namespace nmt
