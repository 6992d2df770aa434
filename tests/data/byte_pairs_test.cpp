#include "data/vocabulary/listed/byte_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"

namespace nmt {
namespace {

using testing::complaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BytePairParts, AreWordsNumbersAndMarksWithTheBlankBeforeThem) {
  EXPECT_THAT(parts_of("Hello wörld 漢字x2 ½!"), ElementsAre("Hello", " wörld", " 漢字x", "2", " ½", "!"));
  EXPECT_THAT(parts_of("(a) -- \"b\"...c"), ElementsAre("(", "a", ")", " --", " \"", "b", "\"...", "c"));
  EXPECT_THAT(parts_of("e\u0301"), ElementsAre("e", "\u0301")) << "what is combined is not a letter";
  EXPECT_THAT(parts_of(""), IsEmpty());
}

TEST(BytePairParts, AreContractions) {
  EXPECT_THAT(parts_of("it's we'll they've I'm you're he'd don't"),
              ElementsAre("it", "'s", " we", "'ll", " they", "'ve", " I", "'m", " you", "'re", " he", "'d",
                          " don", "'t"));
  EXPECT_THAT(parts_of("'S 's 'x"), ElementsAre("'", "S", " '", "s", " '", "x"));
}

TEST(BytePairParts, LeaveTheLastBlankToWhatFollows) {
  EXPECT_THAT(parts_of("  a"), ElementsAre(" ", " a"));
  EXPECT_THAT(parts_of("a \t b"), ElementsAre("a", " \t", " b"));
  EXPECT_THAT(parts_of(" \tb"), ElementsAre(" ", "\t", "b"));
  EXPECT_THAT(parts_of("\u00A0\u3000b"), ElementsAre("\u00A0", "\u3000", "b"));
  EXPECT_THAT(parts_of("a  "), ElementsAre("a", "  "));
  EXPECT_THAT(parts_of(" "), ElementsAre(" "));
}

TEST(BytePairBytes, AreWrittenAsCharacters) {
  EXPECT_EQ(written_bytes(" a~\n\xAD\xFF"), "\u0120a~\u010A\u0143\u00FF");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(read_bytes(written_bytes(all)), all);
  EXPECT_EQ(read_bytes("漢\u0120"), "漢 ") << "what stands for no byte stays";
}

class BytePairsTest : public ::testing::Test {
 protected:
  static std::vector<std::string> tokens(const std::string& part) {
    const WordIndex words({"<unk>", "a", "b", "aa", "ab", "aab", "abab", "\u0120", "\u0120ab"});
    std::vector<std::string> tokens;
    std::size_t bytes = 0;
    for (const MergedSymbol& merged :
         BytePairs("#version: 0.2\na b\na a\nab ab\n\u0120 ab\na ab\n", words).encode(part, 0)) {
      tokens.push_back(words[merged.id]);
      bytes += merged.count;
    }
    EXPECT_EQ(bytes, part.size());
    return tokens;
  }
};

TEST_F(BytePairsTest, MergesWhatComesFirstInTheList) {
  EXPECT_THAT(tokens("aab"), ElementsAre("aab"));
  EXPECT_THAT(tokens("aaab"), ElementsAre("aa", "ab"));
  EXPECT_THAT(tokens("ababab"), ElementsAre("abab", "ab")) << "the left one of equal pairs";
  EXPECT_THAT(tokens("aaaaa"), ElementsAre("aa", "aa", "a"));
  EXPECT_THAT(tokens(" ab"), ElementsAre("\u0120ab"));
  EXPECT_THAT(tokens(" abab"), ElementsAre("\u0120", "abab"));
  EXPECT_THAT(tokens("a\xC3\xA4"), ElementsAre("a", "<unk>", "<unk>")) << "bytes that are not words";
  EXPECT_THAT(tokens(""), IsEmpty());
}

TEST_F(BytePairsTest, TakesNoLongerWithLongParts) {
  EXPECT_EQ(tokens(std::string(200'000, 'a')).size(), 100'000U);
}

TEST_F(BytePairsTest, TellsOfMergesThatAreNone) {
  const WordIndex words({"a", "b", "ab"});
  for (const char* merges : {"a\n", "a b c\n", "b a\n", "x y\n", " a\n", "a b\n#version\n"}) {
    EXPECT_THAT(complaint([&] { BytePairs(merges, words); }),
                HasSubstr("is not a pair of words that make a word"))
        << merges;
  }
}

class BartVocabularyTest : public ::testing::Test {
 protected:
  static Vocabulary bart(const std::string& merges = "#version: 0.2\na b\n\u0120 ab\n\u00C3 \u00A4\n") {
    return make_bart_vocabulary(merges,
                                {"<s>", "<pad>", "</s>", "<unk>", "a", "b", "\u0120", "\u00C3", "\u00A4",
                                 "ab", "\u0120ab", "\u00C3\u00A4", "<mask>"},
                                0, "v");
  }
};

TEST_F(BartVocabularyTest, SpellsTextInBytes) {
  const Vocabulary bart = Vocabulary::from_bytes(BartVocabularyTest::bart().bytes(), "v");
  EXPECT_THAT(bart.encode("ab ab\u00E4c"), ElementsAre(9, 10, 11, 3));
  EXPECT_THAT(bart.pieces("ab ab\u00E4"), ElementsAre("ab", "▁ab", "\u00C3\u00A4"));
  EXPECT_EQ(bart.decode({0, 9, 10, 12, 11, 3, 2}), "ab ab\u00E4");
  EXPECT_EQ(bart.decode({7, 4}), "\uFFFDa") << "half a character";
  for (int id = 0; id < bart.size(); ++id) EXPECT_EQ(bart.find(bart.piece(id)), id);
  EXPECT_THAT(bart.encode("</s>"), ::testing::Each(3));
  EXPECT_FALSE(bart.samples());
}

TEST_F(BartVocabularyTest, BothSidesBeginWithBos) {
  const Vocabulary source = bart().for_languages(Side::source, {}),
                   target = bart().for_languages(Side::target, {});
  EXPECT_THAT(source.encode("ab"), ElementsAre(0, 9));
  EXPECT_THAT(source.encode(""), IsEmpty());
  EXPECT_THAT(target.encode("ab"), ElementsAre(0, 9));
  EXPECT_THAT(target.first_tokens(), ElementsAre(0));
  EXPECT_THAT(complaint<UsageError>([&] {
                (void)bart().for_languages(Side::source, {"en", ""});
              }),
              HasSubstr("has no language tokens"));
}

TEST_F(BartVocabularyTest, TellsOfWhatIsMissing) {
  EXPECT_THAT(complaint([&] { bart("a c\n"); }),
              HasSubstr("the vocabulary 'v' cannot be used: line 1 of its merges"));
  EXPECT_THAT(complaint([] {
                make_bart_vocabulary("", {"<s>", "</s>", "<unk>"}, 0, "v");
              }),
              HasSubstr("lacks <pad>"));
  EXPECT_THAT(complaint([] {
                make_byte_pair_vocabulary("", {"</s>", "<unk>"}, {}, "v");
              }),
              HasSubstr("it has no BOS"));
}

}  // namespace
}  // namespace nmt
