// Tests that words are those of the text as given or printed, whatever a vocabulary makes of it.
#include "data/vocabulary/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "common/temporary_folder.h"
#include "common/text/words.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/tokenizer_vocabulary.h"
#include "data/vocabulary/vocabulary_trainer.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

constexpr std::string_view kPieceSpace = "\u2581";

Vocabulary trained(const std::string& type, const std::string& normalization = "nmt_nfkc") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "der alte hund rennt und der hund schläft\u00a0hier ½ ... <b\n";
  VocabularySettings settings;
  settings.inputs = {folder.write("text", text)};
  settings.type = type;
  settings.size = type == "word" ? 12 : 40;
  settings.normalization = normalization;
  return train_vocabulary(settings).vocabulary;
}

/// Returns what the pieces of each word of a text spell; the last entry is for pieces of no word.
std::vector<std::string> spelled(std::string_view text, const std::vector<TextPiece>& pieces) {
  const Words words = words_of(text, pieces);
  EXPECT_EQ(words.count, std::ssize(words_in(text))) << text;
  EXPECT_EQ(words.of_piece.size(), pieces.size());
  std::vector<std::string> spelled(static_cast<std::size_t>(words.count) + 1);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string letters = pieces[i].text;
    for (std::size_t at = letters.find(kPieceSpace); at != letters.npos; at = letters.find(kPieceSpace))
      letters.erase(at, kPieceSpace.size());
    spelled[static_cast<std::size_t>(words.of_piece[i])] += letters;
  }
  return spelled;
}

/// A character, and its form for a vocabulary.
struct Mark {
  std::string text, seen;
};

/// Returns texts with a mark, and what the pieces of their words spell.
std::vector<std::pair<std::string, std::vector<std::string>>> texts_with(const Mark& mark) {
  const auto& [m, seen] = mark;
  return {{"der " + m + " hund", {"der", seen, "hund", ""}},
          {m + " der hund", {seen, "der", "hund", ""}},
          {" " + m + " der  hund ", {seen, "der", "hund", ""}},
          {"der hund " + m, {"der", "hund", seen, ""}},
          {"der " + m + " " + m + " hund", {"der", seen, seen, "hund", ""}},
          {"der" + m + " hund", {"der" + seen, "hund", ""}},
          {m + "der " + m + "hund", {seen + "der", seen + "hund", ""}},
          {"d" + m + "er\thun" + m + "d", {"d" + seen + "er", "hun" + seen + "d", ""}},
          {"der " + m + m + " x", {"der", seen + seen, "x", ""}},
          {m, {seen, ""}},
          {m + " " + m, {seen, seen, ""}}};
}

const std::vector<Mark> kNormalized = {
    {"\u00b4", "\u0301"}, {"\u00a8", "\u0308"}, {"\u200d", "\u200d"}, {"\u00bd", "1\u20442"},
    {"\u2026", "..."},    {"\u200b", ""},       {"\u200c", ""},       {"\u200e", ""},
    {"\ufeff", ""},       {"\ufffd", ""},       {"\u00a0", ""},       {"\u3000", ""},
    {"\x01", ""}};

TEST(WordsOfAText, AreNumberedAsItIsGiven) {
  for (const std::string type : {"unigram", "bpe", "char", "word"}) {
    const Vocabulary vocabulary = trained(type);
    for (const Mark& mark : kNormalized) {
      for (const auto& [text, expected] : texts_with(mark)) {
        const std::vector<TextPiece> pieces = vocabulary.divide(text);
        std::vector<int> ids;
        for (const TextPiece& piece : pieces) ids.push_back(piece.id);
        // An unknown piece of whole words may span several words, of which the first counts.
        const bool spans = type == "word" && std::ranges::count(ids, vocabulary.unknown()) > 0;
        if (!spans) {
          EXPECT_THAT(spelled(text, pieces), ElementsAreArray(expected)) << type << " '" << text << '\'';
        }
        EXPECT_EQ(ids, vocabulary.encode(text));
        EXPECT_EQ(words_of(vocabulary, text, ids).of_piece, words_of(text, pieces).of_piece);
      }
    }
  }
}

TEST(WordsOfAText, AreThoseOfEverySegmentation) {
  Vocabulary::seed_sampling(1);
  for (const char* type : {"unigram", "bpe"}) {
    const Vocabulary vocabulary = trained(type);
    for (const Mark& mark : kNormalized) {
      for (const auto& [text, expected] : texts_with(mark))
        EXPECT_THAT(spelled(text, vocabulary.divide(text, 0.3)), ElementsAreArray(expected)) << text;
    }
  }
  EXPECT_THROW(trained("char").divide("der", 0.3), Error);
}

TEST(WordsOfAText, AreTheSameWithoutNormalization) {
  const Vocabulary vocabulary = trained("char", "identity");
  for (const Mark& mark : kNormalized) {
    for (auto& [text, expected] : texts_with({mark.text, mark.text})) {
      std::string tabs_as_spaces = text;
      std::ranges::replace(tabs_as_spaces, '\t', ' ');
      EXPECT_THAT(spelled(tabs_as_spaces, vocabulary.divide(tabs_as_spaces)), ElementsAreArray(expected))
          << text;
    }
  }
}

TEST(WordsOfAText, WithPiecesOfSeveralWordsCountTheFirst) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "der hund von ab zu\n";
  VocabularySettings settings;
  settings.inputs = {folder.write("text", text)};
  settings.type = "char";
  settings.size = 30;
  settings.user_symbols = {"\u2581von\u2581ab"};
  const Vocabulary vocabulary = train_vocabulary(settings).vocabulary;
  const std::string line = "der von  ab zu";
  EXPECT_THAT(spelled(line, vocabulary.divide(line)), ElementsAre("der", "vonab", "", "zu", ""));
}

TEST(WordsOfAText, OfOtherToolkitsAreTheSame) {
  const std::string letters = trained("char", "identity").bytes();
  const Vocabulary inner = Vocabulary::from_bytes(letters, "v");
  WordList list = {"</s>", "<unk>", ">>de<<"};
  for (int id = 3; id < inner.size(); ++id) list.push_back(inner.piece(id));
  const ListFacts facts{.languages = bracketed_languages(list), .normalizes = true};
  const Vocabulary opus = make_piece_vocabulary(letters, list, facts, "v"),
                   fairseq = make_fairseq_vocabulary(trained("unigram").bytes(), {}, {}, 0, "v");
  for (const Mark& mark : kNormalized) {
    const bool is_mark = mark.text == "\u00b4" || mark.text == "\u00a8" || mark.text == "\u00bd" ||
                         mark.text == "\u00a0" || mark.text == "\u3000" || mark.text == "\ufffd";
    for (const auto& [text, expected] : texts_with({mark.text, is_mark                 ? mark.text
                                                               : mark.text == "\u2026" ? "..."
                                                                                       : ""})) {
      EXPECT_THAT(spelled(text, opus.divide(text)), ElementsAreArray(expected)) << text;
      if (std::ranges::all_of(expected, &std::string::empty)) continue;  // a language token alone is not text
      std::vector<std::string> with_language = expected;
      with_language.insert(with_language.begin(), ">>de<<");
      EXPECT_THAT(spelled(">>de<< " + text, opus.divide(">>de<< " + text)), ElementsAreArray(with_language));
    }
    for (const auto& [text, expected] : texts_with(mark))
      EXPECT_THAT(spelled(text, fairseq.divide(text)), ElementsAreArray(expected)) << text;
  }
  const Vocabulary words = make_word_vocabulary({"</s>", "<unk>", "der", "hund"}, {}, "v");
  const std::string text = " der \u200b x\ty  hund\u00a0 ";
  EXPECT_THAT(words_of(words, text, words.encode(text)).of_piece, ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(words_of(words, text, {}).count, 5);
}

TEST(WordsOfAText, OfBytePairsAreTheSame) {
  const Vocabulary bart = make_bart_vocabulary(
      "a b\n\u0120 ab\n",
      {"<s>", "<pad>", "</s>", "<unk>", "a", "b", "\u0120", "ab", "\u0120ab", "\u00C3", "<mask>"}, 0, "v");
  const std::string text = "ab \u200b ab\u00a0 ab ";
  EXPECT_THAT(bart.encode(text), ElementsAre(7, 6, 3, 3, 3, 8, 3, 3, 8, 6));
  EXPECT_THAT(words_of(bart, text, bart.encode(text)).of_piece, ElementsAre(0, 1, 1, 1, 1, 2, 2, 2, 3, 4));
  EXPECT_EQ(words_of(bart, text, {}).count, 4);
  const std::vector<int> ids = {0, 8, 6, 8, 9, 5, 2};
  EXPECT_EQ(bart.decode(ids), " ab  ab\uFFFDb") << "half a character";
  EXPECT_THAT(words_of(bart, ids).of_piece, ElementsAre(2, 0, 1, 1, 1, 1, 2));
  EXPECT_THAT(bart.decode_with_places(ids).places, ElementsAre(kNowhere, 0, 3, 4, 7, 10, kNowhere));
}

TEST(WordsOfAText, OfMosesAreTheSame) {
  WordList list = {"</s>", "<unk>", "the", "dog", ".", ">>de<<", "@-@"};
  ListFacts facts{.end = 0, .unknown = 1, .languages = bracketed_languages(list)};
  for (const bool normalizes : {true, false}) {
    facts.moses = MosesFacts{.language = "en", .normalizes = normalizes};
    const Vocabulary moses =
        make_moses_vocabulary("#version: 0.2\nt h\nth e</w>\nd o\ndo g</w>\n", "", list, facts, "v");
    for (const char* mark : {"\u200b", "\u200e", "\ufeff"}) {
      const std::string m = mark, text = m + " the " + m + "\tthe" + m + "dog-dog. " + m;
      std::vector<std::pair<std::string, std::int64_t>> found;
      const std::vector<TextPiece> pieces = moses.divide(">>de<< " + text);
      const Words words = words_of(">>de<< " + text, pieces);
      EXPECT_EQ(words.count, 6);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].id > 1)
          found.emplace_back(list[static_cast<std::size_t>(pieces[i].id)], words.of_piece[i]);
      }
      const std::vector<std::pair<std::string, std::int64_t>> expected = {
          {">>de<<", 0}, {"the", 2}, {"the", 4}, {"dog", 4}, {"dog", 4}, {".", 4}};
      EXPECT_EQ(found, expected) << normalizes;
    }
  }
}

TEST(WordsOfATranslation, AreThoseOfItsText) {
  const Vocabulary letters = trained("char", "identity");
  const auto id = [&](const char* piece) { return *letters.find(piece); };
  const std::vector<int> ids = {id("\u2581"), id("d"),       id("\u00a0"), id("e"), letters.unknown(),
                                id("h"),      letters.end(), id("\u2581"), id("r"), id("\u2581")};
  EXPECT_EQ(letters.decode(ids), "d\u00a0e \u2047 h r ");
  const Words words = words_of(letters, ids);
  EXPECT_EQ(words.count, 4);
  EXPECT_THAT(words.of_piece, ElementsAre(0, 0, 0, 0, 1, 2, 4, 3, 3, 4));
  EXPECT_THAT(words_of(letters, std::vector<int>{}).of_piece, IsEmpty());

  const Vocabulary listed = make_word_vocabulary({"</s>", "<unk>", "der", "x\ty"}, {}, "v");
  EXPECT_THAT(words_of(listed, {2, 3, 0, 2, 1}).of_piece, ElementsAre(0, 1, 5, 3, 4))
      << "a tab is white space";

  // Pieces of the other side keep their U+2581 until the text is joined.
  const Vocabulary pieces = make_piece_vocabulary(
      letters.bytes(), {"</s>", "<unk>", "\u2581\u2581no\u2581", "d", "\u2581", "\u2581q"}, {}, "v");
  const std::vector<int> mixed = {5, 3, 2, 3, 1, 4, 5};
  EXPECT_EQ(pieces.decode(mixed), "qd  no d \u2047   q");
  EXPECT_THAT(words_of(pieces, mixed).of_piece, ElementsAre(0, 0, 1, 2, 3, 4, 4));
}

}  // namespace
}  // namespace nmt
