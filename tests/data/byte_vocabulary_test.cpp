// Tests vocabularies of bytes. Ids are those of ByT5Tokenizer of transformers 4.44.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ByteVocabulary, HasATokenForEachByte) {
  const Vocabulary bytes = make_byt5_vocabulary({}, 384, 0, "model");
  EXPECT_THAT(bytes.encode("a<extra_id_0>b <extra_id_124>"), ElementsAre(100, 259, 101, 35, 383));
  EXPECT_THAT(bytes.encode(" x é"), ElementsAre(35, 123, 35, 198, 172));
  EXPECT_EQ(bytes.decode({100, 259, 198, 100, 0, 2, 383, 1}), "aa")
      << "without special tokens and half characters";
  EXPECT_EQ(bytes.decode({198, 172, 35, 123}), "é x");
  EXPECT_EQ(bytes.piece(35), "\u2581");
  EXPECT_EQ(bytes.find("\u2581"), 35);
  EXPECT_EQ(bytes.find("a"), 100);
  EXPECT_EQ(Vocabulary::from_bytes(bytes.bytes(), "again").encode("é"), bytes.encode("é"));
}

TEST(ByteVocabulary, NeedsAllBytes) {
  EXPECT_THAT(testing::complaint([] { make_byt5_vocabulary({}, 200, 0, "model"); }),
              HasSubstr("259 words, but the tables of the model have 200 rows"));
  EXPECT_THAT(testing::complaint([] {
                make_byte_vocabulary({"</s>", "<unk>", "a"}, {}, "list");
              }),
              HasSubstr("no token for the byte 0"));
}

}  // namespace
}  // namespace nmt
