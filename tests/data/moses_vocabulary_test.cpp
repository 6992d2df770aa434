// Tests vocabularies of OPUS-MT's packages with BPE. Segmentations are from subword-nmt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/subword_codes.h"
#include "data/vocabulary/words.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kCodes =
    "#version: 0.2\nl o\nw e\nn e\nlo w</w>\nwe s\nwes t</w>\nw i\nwi d\nwid e\nwide r</w>\nne west</w>\nd "
    "o\n"
    "we r</w>\nt h\nth e</w>\ns ;\ns; s</w>\np o\npo s;s</w>\nne w</w>\nlo wer</w>\ng s</w>\ndo gs</w>\na "
    "pos;s</w>\n@ -\n@- @</w>\n";

std::string divided(const SubwordCodes& codes, std::string_view word) {
  std::string line;
  for (const std::string_view part : codes.divide(word))
    line += (line.empty() ? "" : "@@ ") + std::string(part);
  return line;
}

TEST(SubwordCodes, DivideAsSubwordNmt) {
  const SubwordCodes codes(kCodes);
  EXPECT_EQ(divided(codes, "lower"), "lower");
  EXPECT_EQ(divided(codes, "lowest"), "lo@@ west");
  EXPECT_EQ(divided(codes, "widest"), "wide@@ s@@ t");
  EXPECT_EQ(divided(codes, "lowlow"), "lo@@ w@@ low");
  EXPECT_EQ(divided(codes, "überlow"), "ü@@ b@@ e@@ r@@ low");
  EXPECT_EQ(divided(codes, "&apos;s"), "&@@ apos;s");
  EXPECT_EQ(divided(codes, "ü"), "ü");
}

TEST(SubwordCodes, ReadTheOldVersion) {
  const SubwordCodes codes("l o\nlo w\nlow </w>\ne r\ner </w>\nn e\nne w\n");
  EXPECT_EQ(divided(codes, "lower"), "low@@ er");
  EXPECT_EQ(divided(codes, "lowlow"), "low@@ low");
  EXPECT_EQ(divided(codes, "ow"), "o@@ w");
}

TEST(SubwordCodes, MergeAPairEverywhereBeforeTheNextOne) {
  const SubwordCodes codes("#version: 0.2\na a\nb c\nab c\nabc ab\na bc\nbc a\n");
  EXPECT_EQ(divided(codes, "aaaaa"), "aa@@ aa@@ a");
  EXPECT_EQ(divided(codes, "abcab"), "abc@@ a@@ b");
  EXPECT_EQ(divided(codes, "bcabca"), "bc@@ abc@@ a");
}

TEST(SubwordCodes, SayWhatIsWrong) {
  EXPECT_THAT([] { SubwordCodes("#version: 0.2\na b\na b c\n"); },
              ThrowsMessage<Error>(HasSubstr("line 3 of its codes")));
  EXPECT_THAT([] { SubwordCodes("#version: 0.3\na b\n"); }, ThrowsMessage<Error>(HasSubstr("version '0.3'")));
  EXPECT_THAT([] { SubwordCodes(""); }, ThrowsMessage<Error>(HasSubstr("no codes")));
}

Vocabulary vocabulary(bool detruecases = true) {
  WordList words = {"</s>", "<unk>", "the", "do@@", "g", "&@@", "apos;s", "ne@@",
                    "wer",  ".",     "low", "(",    ")", "@-@", "er",     ">>de<<"};
  ListFacts facts{.end = 0, .unknown = 1, .languages = bracketed_languages(words)};
  facts.moses = MosesFacts{.language = "en", .detruecases = detruecases};
  return make_moses_vocabulary(kCodes, "the (9/9)\n", std::move(words), std::move(facts), "source.bpe");
}

TEST(MosesVocabulary, EncodesRawText) {
  const Vocabulary source = vocabulary();
  EXPECT_THAT(source.encode("The dog\u2019s newer."), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(source.pieces("The dog\u2019s newer."),
              ElementsAre("▁the", "▁do", "g", "&", "apos;s", "▁ne", "wer", "."));
  EXPECT_THAT(source.encode("low </s> low-low"), ElementsAre(10, 5, 1, 1, 1, 1, 1, 5, 1, 1, 1, 10, 13, 10))
      << "text has no EOS";
  EXPECT_THAT(source.encode(" \u200B "), ElementsAre());
}

TEST(MosesVocabulary, DecodesToText) {
  EXPECT_EQ(vocabulary().decode({2, 3, 4, 5, 6, 7, 8, 9, 0}), "The dog's newer.");
  EXPECT_EQ(vocabulary(false).decode({2, 3, 4, 9, 10, 13, 10}), "the dog. low-low");
  EXPECT_EQ(vocabulary().decode({10, 1, 11, 2, 12, 9}), "Low ⁇ (the).");
  EXPECT_EQ(vocabulary().decode({7}), "Ne") << "the rest of the word is missing";
}

TEST(MosesVocabulary, TellsTheWordsOfTheText) {
  const Vocabulary both = vocabulary();
  const std::string text = "The dog's (newer) low-low .";
  const Words source = words_of(both, text, both.encode(text));
  EXPECT_EQ(source.count, 5);
  EXPECT_THAT(source.of_piece, ElementsAre(0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4));
  const std::vector<int> ids = {2, 3, 4, 11, 7, 8, 12, 10, 13, 10, 9};
  EXPECT_EQ(both.decode(ids), "The dog (newer) low-low.");
  EXPECT_THAT(both.pieces(ids),
              ElementsAre("▁The", "▁do", "g", "▁(", "ne", "wer", ")", "▁low", "-", "low", "."));
  EXPECT_EQ(words_of(both, ids).count, 4);
}

TEST(MosesVocabulary, TakesTheTokenOfALanguageInFront) {
  const Vocabulary source = vocabulary();
  EXPECT_THAT(source.languages(), ElementsAre("de"));
  EXPECT_THAT(source.encode(">>de<< The dog"), ElementsAre(15, 2, 3, 4));
  EXPECT_THAT(source.for_languages(Side::source, {"", "de"}).encode("The dog"), ElementsAre(15, 2, 3, 4));
}

TEST(MosesVocabulary, FindsItsPieces) {
  const Vocabulary both = vocabulary();
  for (int id = 0; id < both.size(); ++id) EXPECT_EQ(both.find(both.piece(id)), id) << both.piece(id);
  EXPECT_EQ(both.piece(3), "do");
  EXPECT_EQ(both.piece(4), "g▁");
}

TEST(MosesVocabulary, ComesBackFromItsBytes) {
  const Vocabulary first = vocabulary(), again = Vocabulary::from_bytes(first.bytes(), "again");
  EXPECT_EQ(first, again);
  EXPECT_EQ(again.decode({2, 3, 4}), "The dog");
}

}  // namespace
}  // namespace nmt
