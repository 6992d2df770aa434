// Tests reading transformers' search settings.
#include "foreign/huggingface/huggingface_settings.h"

#include <gmock/gmock.h>

namespace nmt {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

Generation generation(const std::string& text) {
  return read_generation({text, "generation_config.json"});
}

TEST(GenerationTest, SaysNothingIsGreedy) {
  const Generation usual = generation("{}");
  EXPECT_THAT(usual.decoding,
              ElementsAre(Pair("beam", "1"), Pair("beam_rules", "huggingface"),
                          Pair("length_normalization", "power"), Pair("length_penalty", "1")));
  EXPECT_TRUE(usual.suppressed.empty());
  EXPECT_FALSE(usual.first_token);
}

TEST(GenerationTest, SettingsAreThoseOfSearchesHere) {
  const Generation found = generation(
      R"({"num_beams": 5, "length_penalty": 0.8, "early_stopping": true, "forced_bos_token_id": 7,
          "bad_words_ids": [[3], [9]], "suppress_tokens": [4], "no_repeat_ngram_size": 3, "min_length": 0,
          "force_words_ids": null, "begin_suppress_tokens": []})");
  EXPECT_THAT(found.decoding, IsSupersetOf({Pair("beam", "5"), Pair("length_penalty", "0.8"),
                                            Pair("patience", "1"), Pair("no_repeat_ngram_size", "3")}));
  EXPECT_THAT(generation(R"({"no_repeat_ngram_size": 0})").decoding,
              Not(Contains(Key("no_repeat_ngram_size"))));
  EXPECT_THAT(found.suppressed, ElementsAre(4, 3, 9));
  EXPECT_EQ(found.first_token, 7);
}

TEST(GenerationTest, LengthsCountTheStartAndTheForcedEnd) {
  EXPECT_THAT(generation(R"({"max_length": 80})").decoding,
              IsSupersetOf({Pair("max_length_factor", "0"), Pair("max_length_extra", "79")}));
  EXPECT_THAT(generation(R"({"max_length": 80, "forced_eos_token_id": 0})").decoding,
              Contains(Pair("max_length_extra", "78")));
  EXPECT_THAT(generation(R"({"max_length": 80, "max_new_tokens": 30})").decoding,
              Contains(Pair("max_length_extra", "30")));
  EXPECT_THAT(generation("{}").decoding, Not(Contains(Key("max_length_extra"))));
}

}  // namespace
}  // namespace nmt
