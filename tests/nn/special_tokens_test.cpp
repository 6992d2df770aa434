// What the decoder starts with, and what vocabularies have to have for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "data/listed/listed_vocabulary.h"
#include "data/small_vocabulary.h"
#include "nn/files/vocabularies.h"
#include "nn/registry.h"

namespace nmt {
namespace {

SpecialTokens special_tokens(const Vocabulary& vocabulary, const std::string& start) {
  const std::string rows = std::to_string(vocabulary.rows());
  const auto model = ModelRegistry::instance().make({{"d_model", "8"},
                                                     {"encoder_layers", "1"},
                                                     {"decoder_layers", "1"},
                                                     {"decoder_start", start},
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

TEST(SpecialTokens, NotEveryVocabularyHasBos) {
  const Vocabulary vocabulary = make_word_vocabulary({"</s>", "<unk>", "a"}, {}, "words");
  EXPECT_EQ(special_tokens(vocabulary, "zero").start, -1);
  EXPECT_EQ(special_tokens(vocabulary, "eos").start, vocabulary.end());
  EXPECT_THAT(
      testing::complaint<Error>([&] { special_tokens(vocabulary, "bos"); }),
      ::testing::HasSubstr("has no BOS, which decoder_start 'bos' needs; use decoder_start 'zero' or 'eos'"));
}

}  // namespace
}  // namespace nmt
