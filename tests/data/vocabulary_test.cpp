#include "data/vocabulary/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/error.h"
#include "common/packing.h"
#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "data/vocabulary/vocabulary_trainer.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class VocabularyTest : public ::testing::Test {
 protected:
  VocabularyTest() {
    const GeneratedText::Pair text = GeneratedText(1).text(400);
    settings_.inputs = {folder_.write("a.txt", text.source), folder_.write("b.xz", pack_xz(text.target))};
    settings_.size = 60;
  }
  Vocabulary trained() const { return train_vocabulary(settings_).vocabulary; }

  TemporaryFolder folder_;
  VocabularySettings settings_;
};

TEST_F(VocabularyTest, EncodesAndDecodes) {
  const Vocabulary vocabulary = trained();
  const std::string text =
      "der kleine hund sieht die gr\xC3\xBCne stra\xC3\x9F"
      "e.";
  const std::vector<int> ids = vocabulary.encode(text);
  EXPECT_THAT(ids, AllOf(SizeIs(::testing::Gt(5U)), Each(AllOf(::testing::Gt(2), ::testing::Lt(60)))));
  EXPECT_EQ(vocabulary.decode(ids), text);
  EXPECT_THAT(vocabulary.encode(""), IsEmpty());
  EXPECT_EQ(vocabulary.decode({}), "");
  EXPECT_EQ(vocabulary.decode({*vocabulary.begin(), vocabulary.end()}), "");
}

TEST_F(VocabularyTest, NamesThePiecesOfTextAndOfIds) {
  const Vocabulary vocabulary = trained();
  const std::string text = "der kleine \xE6\xBC\xA2";
  const std::vector<int> ids = vocabulary.encode(text);
  std::vector<std::string> pieces = vocabulary.pieces(text);
  ASSERT_EQ(pieces.size(), ids.size());
  EXPECT_EQ(pieces.back(), "\xE6\xBC\xA2") << "what no piece covers stands as it is";
  std::string joined;
  for (const std::string& piece : pieces) joined += piece;
  EXPECT_EQ(joined, "▁der▁kleine▁\xE6\xBC\xA2");
  pieces.back() = "▁⁇▁";
  EXPECT_EQ(vocabulary.pieces(ids), pieces);
  EXPECT_THAT(vocabulary.pieces(""), IsEmpty());
  EXPECT_THROW(vocabulary.pieces(std::vector{60}), Error);
}

TEST_F(VocabularyTest, HasTheDefaultSpecialTokens) {
  const Vocabulary vocabulary = trained();
  EXPECT_EQ(vocabulary.size(), 60);
  EXPECT_EQ(vocabulary.unknown(), 0);
  EXPECT_EQ(vocabulary.begin(), 1);
  EXPECT_EQ(vocabulary.end(), 2);
  EXPECT_THAT(vocabulary.encode("\xE6\xBC\xA2"), ::testing::Contains(vocabulary.unknown()));
}

TEST_F(VocabularyTest, FindsPieces) {
  const Vocabulary vocabulary = trained();
  EXPECT_EQ(vocabulary.find("<unk>"), vocabulary.unknown());
  EXPECT_EQ(vocabulary.find("</s>"), vocabulary.end());
  for (const int id : vocabulary.encode("der hund")) {
    const std::string text = vocabulary.decode({id});
    EXPECT_THAT((std::vector{vocabulary.find(text), vocabulary.find("\u2581" + text)}),
                ::testing::Contains(id));
  }
  for (const char* none : {"", "no such piece", "<UNK>"})
    EXPECT_EQ(vocabulary.find(none), std::nullopt) << none;
}

TEST_F(VocabularyTest, RefusesIdsOutOfRange) {
  const Vocabulary vocabulary = trained();
  EXPECT_THAT(
      [&] {
        vocabulary.decode({5, 60});
      },
      ThrowsMessage<Error>("cannot decode id 60: the vocabulary has 60 pieces"));
  EXPECT_THROW(vocabulary.decode({-1}), Error);
}

TEST_F(VocabularyTest, SurvivesAFileAndMemory) {
  const Vocabulary vocabulary = trained();
  vocabulary.save(folder_ / "v.spm");
  const Vocabulary loaded = Vocabulary::load(folder_ / "v.spm");
  EXPECT_EQ(loaded, vocabulary);
  EXPECT_EQ(Vocabulary::from_bytes(loaded.bytes(), "memory").encode("the old man"),
            vocabulary.encode("the old man"));
  settings_.size = 50;
  EXPECT_FALSE(trained() == vocabulary);
}

TEST_F(VocabularyTest, TellsOfDamagedAndForeignFiles) {
  const std::string bytes = trained().bytes();
  const std::string text = folder_.write("text", "plain text\n");
  EXPECT_THAT(
      [&] { Vocabulary::load(text); },
      ThrowsMessage<Error>("'" + text + "' is text, not a vocabulary; make one from it: nmt vocab -i " +
                           text + " -o vocab.spm"));
  for (const std::string& damaged : {std::string(), bytes.substr(0, 500)}) {
    const std::string path = folder_.write("v.spm", damaged);
    EXPECT_THAT([&] { Vocabulary::load(path); },
                ThrowsMessage<Error>(HasSubstr("'" + path + "' is damaged")));
  }
  EXPECT_THAT([&] { Vocabulary::load(folder_ / "missing"); },
              ThrowsMessage<Error>(HasSubstr("No such file")));
}

TEST_F(VocabularyTest, IsSharedByThreads) {
  const Vocabulary vocabulary = trained();
  const std::vector<int> expected = vocabulary.encode("the woman sings");
  std::vector<int> results[4];
  std::vector<std::jthread> threads;
  for (auto& result : results) {
    threads.emplace_back([&result, vocabulary] {
      for (int i = 0; i < 100; ++i) result = vocabulary.encode("the woman sings");
    });
  }
  threads.clear();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST_F(VocabularyTest, TrainsEveryTypeReproducibly) {
  for (const auto& [type, size] : {std::pair{"unigram", 60}, {"bpe", 60}, {"char", 25}, {"word", 20}}) {
    settings_.type = type;
    settings_.size = size;
    const Vocabulary vocabulary = trained();
    EXPECT_EQ(vocabulary.size(), size) << type;
    EXPECT_EQ(vocabulary, trained()) << type;
  }
}

TEST_F(VocabularyTest, DrawsASampleReproducibly) {
  settings_.sample_lines = 200;
  const Vocabulary vocabulary = trained();
  EXPECT_EQ(vocabulary, trained());
  settings_.sample_lines = 10'000;
  EXPECT_FALSE(vocabulary == trained());
}

TEST_F(VocabularyTest, TheSeedDrawsTheSample) {
  settings_.sample_bytes = 8000;
  const TrainedVocabulary first = train_vocabulary(settings_);
  EXPECT_TRUE(first.partial);
  EXPECT_EQ(first.lines, 800);
  settings_.seed = 2;
  EXPECT_FALSE(trained() == first.vocabulary);
}

TEST_F(VocabularyTest, LearnsFromLongLines) {
  std::string words;
  for (int i = 0; i < 2000; ++i) words += i % 2 == 0 ? "dog " : "m\xC3\xB6hre ";
  std::string unbroken = "x";  // so that a cut at a fixed place would divide a character
  for (int i = 0; i < 5000; ++i) unbroken += "\xC3\xA9";
  settings_.inputs = {folder_.write("long", words + "\n" + unbroken + "\nshort\n")};
  settings_.type = "char";
  settings_.size = 100;
  settings_.coverage = 1;
  const TrainedVocabulary result = train_vocabulary(settings_);
  EXPECT_EQ(result.split_lines, 2);
  EXPECT_EQ(result.lines, 3);
  for (const char* text : {"dog", "m\xC3\xB6hre", "\xC3\xA9", "x"}) {
    EXPECT_THAT(result.vocabulary.encode(text), Each(::testing::Ne(result.vocabulary.unknown()))) << text;
  }
  EXPECT_EQ(result.vocabulary.size(), 3 + 13) << "a divided character would be one more";
}

TEST_F(VocabularyTest, LearnsFromLinesWithTheCharacterThatTheTrainerReserves) {
  settings_.inputs = {folder_.write("text", "quiz \xE2\x96\x85\n")};
  settings_.type = "char";
  const Vocabulary vocabulary = trained();
  EXPECT_THAT(vocabulary.encode("quiz"), Each(::testing::Ne(vocabulary.unknown())));
}

TEST_F(VocabularyTest, CountsWhatItRead) {
  const TrainedVocabulary result = train_vocabulary(settings_);
  EXPECT_EQ(result.lines, 800);
  EXPECT_GT(result.pieces_per_line, 10);
  EXPECT_LT(result.pieces_per_line, 40);
}

TEST_F(VocabularyTest, SpellsRareCharactersInBytes) {
  settings_.size = 315;
  settings_.byte_fallback = true;
  const Vocabulary vocabulary = trained();
  const std::vector<int> ids = vocabulary.encode("the \xE6\xBC\xA2");
  EXPECT_THAT(ids, Each(::testing::Ne(vocabulary.unknown())));
  EXPECT_EQ(vocabulary.decode(ids), "the \xE6\xBC\xA2");
}

TEST_F(VocabularyTest, KeepsUserSymbolsWhole) {
  settings_.user_symbols = {"<x,y>", "\"z\""};
  const Vocabulary vocabulary = trained();
  const auto plain = vocabulary.encode("the dog").size();
  EXPECT_EQ(vocabulary.encode("the dog<x,y>").size(), plain + 1);
  EXPECT_EQ(vocabulary.encode("the dog\"z\"").size(), plain + 1);
}

TEST_F(VocabularyTest, UserSymbolsMayContainSpaces) {
  for (const char* type : {"unigram", "bpe", "char"}) {
    settings_.type = type;
    settings_.user_symbols = {"xq zq", " wq", "vq  uq ", "Jq", "\u2581"};
    const Vocabulary vocabulary = trained();
    EXPECT_THAT(vocabulary.pieces("the xq zq dog"), ::testing::Contains("xq\u2581zq")) << type;
    EXPECT_THAT(vocabulary.pieces("the wqs"), ::testing::Contains("\u2581wq")) << type;
    EXPECT_THAT(vocabulary.pieces("twqs"), ::testing::Not(::testing::Contains("\u2581wq"))) << type;
    EXPECT_THAT(vocabulary.pieces("vq   uq dog"), ::testing::Contains("vq\u2581uq\u2581")) << type;
    EXPECT_EQ(vocabulary.decode(vocabulary.encode("the xq zq dog")), "the xq zq dog");
  }
  settings_.type = "word";
  settings_.size = 20;
  settings_.user_symbols = {"xqz", " dog "};
  EXPECT_THAT(trained().pieces("the xqz"), ::testing::Contains("\u2581xqz"));
}

TEST_F(VocabularyTest, RefusesUserSymbolsThatNeverMatch) {
  settings_.user_symbols = {"xq zq", "xq\u2581zq"};
  EXPECT_THAT([&] { trained(); }, ThrowsMessage<UsageError>(HasSubstr("is already a piece")));
  settings_.normalization = "nmt_nfkc_cf";
  settings_.user_symbols = {"Xq"};
  EXPECT_THAT(trained().pieces("the Xq"), ::testing::Contains("Xq"));
  settings_.user_symbols = {"Xq Zq"};
  EXPECT_THAT(
      [&] { trained(); },
      ThrowsMessage<UsageError>("the user symbol 'Xq Zq' never matches: `normalization` nmt_nfkc_cf makes "
                                "'xq zq' of such text; write the symbol like that, or use another "
                                "`normalization`"));
  settings_.normalization = "nmt_nfkc";
  settings_.user_symbols = {"\uff38 q"};  // full width
  EXPECT_THAT([&] { trained(); }, ThrowsMessage<UsageError>(HasSubstr("makes 'X q' of such text")));
  settings_.normalization = "identity";
  EXPECT_THAT(trained().pieces("\uff38 q"), ::testing::Contains("\uff38\u2581q"));
  settings_.type = "word";
  settings_.size = 20;
  settings_.user_symbols = {"xq zq"};
  EXPECT_THAT([&] { trained(); },
              ThrowsMessage<UsageError>(HasSubstr("pieces of `type` word are single words")));
}

TEST_F(VocabularyTest, SamplesWhereThereIsAChoice) {
  for (const auto& [type, samples] :
       {std::pair{"unigram", true}, {"bpe", true}, {"char", false}, {"word", false}}) {
    settings_.type = type;
    settings_.size = samples ? 60 : 20;
    const Vocabulary vocabulary = trained();
    EXPECT_EQ(vocabulary.samples(), samples) << type;
    if (samples) {
      EXPECT_THAT(vocabulary.encode_sampled("the dog", 0.1), ::testing::Not(IsEmpty()));
    } else {
      EXPECT_THAT([&] { (void)vocabulary.encode_sampled("the dog", 0.1); },
                  ThrowsMessage<Error>(HasSubstr("one segmentation")));
    }
  }
}

TEST_F(VocabularyTest, NormalizesAsTold) {
  settings_.normalization = "nmt_nfkc_cf";
  EXPECT_EQ(trained().encode("THE DOG"), trained().encode("the dog"));
  settings_.normalization = "identity";
  EXPECT_NE(trained().encode("THE DOG"), trained().encode("the dog"));
}

TEST_F(VocabularyTest, TakesAllPiecesOfATextThatYieldsFewer) {
  for (const char* type : {"unigram", "bpe"}) {
    settings_.type = type;
    settings_.size = 30'000;
    const Vocabulary largest = trained();
    EXPECT_LT(largest.size(), 30'000);
    settings_.size = largest.size();
    EXPECT_EQ(trained(), largest);
    settings_.size = largest.size() + 1;
    EXPECT_EQ(trained(), largest);
  }
}

TEST_F(VocabularyTest, NamesTheSizesThatArePossible) {
  settings_.size = 10;
  EXPECT_THAT([&] { trained(); },
              ThrowsMessage<Error>(::testing::MatchesRegex(
                  "10 pieces cannot hold the characters of the text: use `size` .* or more.*")));
}

TEST_F(VocabularyTest, TellsOfInputWithoutText) {
  settings_.inputs = {folder_.write("empty", "\n\n\n")};
  EXPECT_THAT([&] { trained(); }, ThrowsMessage<Error>(HasSubstr("the input has no text")));
  settings_.inputs = {folder_.write("a", "one line\n"), folder_ / "missing"};
  EXPECT_THAT([&] { trained(); }, ThrowsMessage<Error>(HasSubstr("missing': No such file")));
}

TEST_F(VocabularyTest, TellsOfTextThatIsNone) {
  for (const char* text : {"   \n \n", "\xE3\x80\x80\n", "\x01\x02\n", "\xEF\xBF\xBD \n"}) {
    settings_.inputs = {folder_.write("space", text)};
    for (const char* type : {"unigram", "bpe", "char", "word"}) {
      settings_.type = type;
      ::testing::internal::CaptureStderr();
      EXPECT_THAT([&] { trained(); }, ThrowsMessage<Error>(HasSubstr("the input has no text"))) << type;
      EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    }
  }
}

TEST_F(VocabularyTest, RefusesSizesWithoutRoomForText) {
  for (const int size : {1, 2, 3}) {
    settings_.size = size;
    EXPECT_THAT([&] { trained(); },
                ThrowsMessage<UsageError>(HasSubstr("is too small: special tokens, user symbols")));
  }
  settings_.size = 260;
  settings_.byte_fallback = true;
  settings_.user_symbols = {"<a>"};
  EXPECT_THAT([&] { trained(); }, ThrowsMessage<UsageError>(HasSubstr("use 261 or more")));
}

TEST_F(VocabularyTest, RefusesUserSymbolsThatCannotBe) {
  for (const char* symbol : {"", "</s>"}) {
    settings_.user_symbols = {symbol};
    EXPECT_THROW(trained(), UsageError);
  }
  settings_.user_symbols = {std::string(5000, 'x')};
  EXPECT_THAT([&] { trained(); }, ThrowsMessage<UsageError>("a user symbol has 5000 bytes, more than 4096"));
  settings_.user_symbols = {"a", "a"};
  EXPECT_THAT([&] { trained(); }, ThrowsMessage<UsageError>(HasSubstr("'a' is already a piece")));
}

}  // namespace
}  // namespace nmt
