#include "serve/served_model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/temporary_folder.h"

namespace nmt {
namespace {

TEST(ServedModel, HoldsFewSentencesAtATimeOnAProcessorAndManyOnAGpu) {
  EXPECT_EQ(usual_batch_tokens({.device = "cpu"}), ServingSettings{}.batch_tokens);
  EXPECT_EQ(usual_batch_tokens({.device = "auto", .cpu_isa = "avx2"}), ServingSettings{}.batch_tokens);
  EXPECT_GT(usual_batch_tokens({.device = "cuda:1"}), usual_batch_tokens({.device = "cpu"}));
}

TEST(ModelSource, HasTheLanguagesAtTheEndOfAFolder) {
  const auto pair = [](const std::string& text) {
    const ModelSource source = model_sources(text).at(0);
    return source.name + ": " + source.pair.source + " " + source.pair.target;
  };
  EXPECT_EQ(pair("models/opus-mt-en-de/"), "opus-mt-en-de: en de");
  EXPECT_EQ(pair("student-tiny-all"), "student-tiny-all:  ");
  EXPECT_EQ(pair("news-v1-de"), "news-v1-de:  ");
  EXPECT_EQ(pair("opus-mt-de-de"), "opus-mt-de-de:  ");
  EXPECT_EQ(pair("opus-mt-en-de=m"), "opus-mt-en-de:  ") << "a name that was given says all";
}

TEST(ModelSource, HasTheLanguagesThatFilesName) {
  const TemporaryFolder folder;
  for (const char* name : {"model", "wmt19-en-de", "de-nn", "odd"})
    std::filesystem::create_directory(folder / name);
  const std::string config = R"({"architectures": ["FSMTForConditionalGeneration"], "langs": )";
  for (const char* name : {"model", "wmt19-en-de", "de-nn"})
    folder.write(std::string(name) + "/config.json", config + R"(["en", "de"]})");
  folder.write("odd/config.json", config + R"(["en", "a/b"]})");
  const auto pair = [&](const std::string& name) {
    const ModelSource source = model_sources(folder / name).at(0);
    return source.name + ": " + source.pair.source + " " + source.pair.target;
  };
  EXPECT_EQ(pair("model"), "en-de: en de");
  EXPECT_EQ(pair("wmt19-en-de"), "wmt19-en-de: en de") << "its name says so";
  EXPECT_EQ(pair("odd"), "odd:  ");
}

}  // namespace
}  // namespace nmt
