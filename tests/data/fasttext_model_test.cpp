// The expected probabilities are those of fastText 0.9.2 (`fasttext predict-prob`) for the same files.
#include "data/language/fasttext_model.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "data/fasttext_file.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

std::vector<float> probabilities_of(const testing::FastTextFile& file, const std::string& text) {
  return FastTextModel(file.bytes(), "model.bin").probabilities(text);
}

void expect_near(const std::vector<float>& found, const std::vector<float>& expected, double most = 2e-5) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], most) << i;
}

TEST(FastTextModel, FindsTheProbabilitiesOfFastText) {
  testing::FastTextFile file;
  expect_near(probabilities_of(file, "ab cd"), {0.815867F, 0.176776F, 0.007387F});
  expect_near(probabilities_of(file, " ab\téx  cd\n"), {0.797426F, 0.163711F, 0.038893F});
  expect_near(probabilities_of(file, "zz"), {0.897517F, 0.088875F, 0.013638F});
  EXPECT_TRUE(probabilities_of(file, " \n").empty());
  file.loss = 1;
  expect_near(probabilities_of(file, "ab cd"), {0.384487F, 0.542166F, 0.073380F});
  expect_near(probabilities_of(file, "ab éx cd"), {0.510425F, 0.403288F, 0.086317F});
  file.loss = 4;
  // fastText computes sigmoids from a coarse table here.
  expect_near(probabilities_of(file, "ab éx cd"), {0.822199F, 0.484390F, 0.182436F}, 8e-3);
  file.loss = 3;
  file.word_ngrams = 2;
  expect_near(probabilities_of(file, "ab cd"), {0.820494F, 0.173698F, 0.005837F});
  expect_near(probabilities_of(file, "ab éx cd"), {0.743279F, 0.181945F, 0.074806F});
}

TEST(FastTextModel, ReadsQuantizedAndPrunedOnes) {
  testing::FastTextFile file{.is_quantized = true};
  expect_near(probabilities_of(file, "ab cd"), {0.137996F, 0.753397F, 0.108637F});
  expect_near(probabilities_of(file, "ab éx cd"), {0.515166F, 0.437354F, 0.047510F});
  file.is_pruned = true;
  expect_near(probabilities_of(file, "ab cd"), {0.974512F, 0.022547F, 0.002970F});
  expect_near(probabilities_of(file, "ab éx cd"), {0.980174F, 0.016220F, 0.003636F});
}

TEST(FastTextModel, TakesThePrefixOffLabels) {
  EXPECT_EQ(FastTextModel(testing::FastTextFile().bytes(), "model.bin").labels(),
            (std::vector<std::string>{"x", "xx", "xxx"}));
}

TEST(FastTextModel, RefusesDamagedFilesAndOtherModels) {
  const auto refuse = [](const std::string& bytes, const std::string& message) {
    EXPECT_THAT([&] { FastTextModel(bytes, "model.bin"); },
                ::testing::ThrowsMessage<Error>(AllOf(HasSubstr("'model.bin'"), HasSubstr(message))));
  };
  refuse("", "is not a model of fastText");
  refuse(testing::FastTextFile().bytes().substr(0, 100), "copy or download it again");
  refuse(testing::FastTextFile{.magic = 1}.bytes(), "is not a model of fastText");
  refuse(testing::FastTextFile{.version = 11}.bytes(), "has version 11 of fastText's format");
  refuse(testing::FastTextFile{.kind = 1}.bytes(), "is a model of word vectors");
  refuse(testing::FastTextFile{.loss = 5}.bytes(), "loss 5");
  refuse(testing::FastTextFile{.longest = 101}.bytes(), "n-grams");
  refuse(testing::FastTextFile{.words = {"ab", "ab"}}.bytes(), "a word occurs in it twice");
  for (const bool is_quantized : {false, true}) {
    const std::string whole =
        testing::FastTextFile{.is_quantized = is_quantized, .is_pruned = is_quantized}.bytes();
    for (std::size_t size = 0; size < whole.size(); size += 3)
      EXPECT_THROW(FastTextModel(whole.substr(0, size), "model.bin"), Error) << size;
    // A damaged byte is detected, or changes only probabilities.
    for (std::size_t i = 0; i < whole.size(); i += 5) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(~damaged[i]);
      try {
        FastTextModel(damaged, "model.bin").probabilities("ab éx cd");
      } catch (const Error&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace nmt
