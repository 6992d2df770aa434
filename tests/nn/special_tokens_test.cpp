// The first decoder input, and the tokens that it requires of vocabularies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "data/small_vocabulary.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "nn/registry.h"
#include "nn/saved/vocabularies.h"

namespace nmt {
namespace {

SpecialTokens special_tokens(const Vocabulary& vocabulary, const std::string& start,
                             const std::string& marks = "eos") {
  const std::string rows = std::to_string(vocabulary.rows());
  const auto model = ModelRegistry::instance().make({{"d_model", "8"},
                                                     {"encoder_layers", "1"},
                                                     {"decoder_layers", "1"},
                                                     {"decoder_start", start},
                                                     {"source_special_tokens", marks},
                                                     {"source_vocabulary", rows},
                                                     {"target_vocabulary", rows}});
  return special_tokens_of({vocabulary, vocabulary}, *model);
}

TEST(SpecialTokens, TheDecoderStartsWithWhatTheSettingSays) {
  const Vocabulary vocabulary = small_vocabulary();
  for (const char* start : {"bos", "zero", "eos"})
    EXPECT_EQ(special_tokens(vocabulary, start).source_eos, vocabulary.end());
  EXPECT_EQ(special_tokens(vocabulary, "bos").start, vocabulary.begin());
  EXPECT_EQ(special_tokens(vocabulary, "zero").start, -1);
  EXPECT_EQ(special_tokens(vocabulary, "eos").start, vocabulary.end());
}

TEST(SpecialTokens, TheSourceHasWhatTheSettingSays) {
  const Vocabulary vocabulary = small_vocabulary();
  const auto marks = [&](const char* setting) {
    const SpecialTokens tokens = special_tokens(vocabulary, "bos", setting);
    return std::pair(tokens.source_bos, tokens.ends_source);
  };
  const int bos = *vocabulary.begin();
  EXPECT_EQ(marks("eos"), std::pair(-1, true));
  EXPECT_EQ(marks("bos"), std::pair(bos, false));
  EXPECT_EQ(marks("both"), std::pair(bos, true));
  EXPECT_EQ(marks("none"), std::pair(-1, false));
}

TEST(SpecialTokens, SidesAreReadInTheDirectionOfTheirSettings) {
  const Vocabulary vocabulary = small_vocabulary();
  for (const char* type : {"transformer", "rnn"}) {
    for (const auto& [source, target] :
         {std::pair(false, false), std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
      const auto direction = [](bool reversed) { return reversed ? "right-to-left" : "left-to-right"; };
      ModelSettings settings = {
          {"type", type}, {"source_direction", direction(source)}, {"target_direction", direction(target)}};
      for (const char* size : {"source_vocabulary", "target_vocabulary"})
        settings[size] = std::to_string(vocabulary.rows());
      const auto model = ModelRegistry::instance().make(settings);
      const SpecialTokens tokens = special_tokens_of({vocabulary, vocabulary}, *model);
      EXPECT_EQ(std::pair(tokens.source_reversed, tokens.target_reversed), std::pair(source, target));
    }
  }
}

TEST(SpecialTokens, NotEveryVocabularyHasBos) {
  const Vocabulary vocabulary = make_word_vocabulary({"</s>", "<unk>", "a"}, {}, "words");
  EXPECT_EQ(special_tokens(vocabulary, "zero").start, -1);
  EXPECT_EQ(special_tokens(vocabulary, "eos").start, vocabulary.end());
  EXPECT_THAT(
      testing::complaint<Error>([&] { special_tokens(vocabulary, "bos"); }),
      ::testing::HasSubstr("has no BOS, which decoder_start 'bos' needs; use decoder_start 'zero' or 'eos'"));
  EXPECT_THAT(testing::complaint<Error>([&] { special_tokens(vocabulary, "zero", "both"); }),
              ::testing::HasSubstr("the source vocabulary has no BOS"));
}

}  // namespace
}  // namespace nmt
