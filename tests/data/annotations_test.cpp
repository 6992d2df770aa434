// Tests the conversion of alignments and weights of lines to those of tokens, for all segmentations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "data/text/parallel_text.h"
#include "data/text_corpus.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AnnotationsTest : public ::testing::Test {
 protected:
  static Vocabulary vocabulary(const std::string& type, int size) {
    const TemporaryFolder folder;
    const GeneratedText::Pair text = GeneratedText(1).text(300);
    return train_vocabulary({.inputs = {folder.write("a", text.source), folder.write("b", text.target)},
                             .type = type,
                             .size = size})
        .vocabulary;
  }

  Encoding encoding(AlignmentUnit unit, double sampling_alpha = 0) const {
    return {.source = pieces_,
            .target = pieces_,
            .filter = {},
            .sampling_alpha = sampling_alpha,
            .has_alignment = true,
            .has_weights = true,
            .alignment_unit = unit};
  }

  static Example annotated(const AnnotatedLines& lines, const Encoding& encoding) {
    Example example;
    EXPECT_FALSE(encode_pair(lines, encoding, {"a", "w"}, 7, example));
    return example;
  }

  /// Returns the words that the links of an example connect, source first.
  std::set<std::pair<std::int64_t, std::int64_t>> linked_words(const Example& example) const {
    const Words source = words_of(pieces_, example.source), target = words_of(pieces_, example.target);
    std::set<std::pair<std::int64_t, std::int64_t>> words;
    for (const Link& link : example.links)
      words.emplace(source.of_piece[static_cast<std::size_t>(link.source)],
                    target.of_piece[static_cast<std::size_t>(link.target)]);
    return words;
  }

  Vocabulary pieces_ = vocabulary("unigram", 60);
};

TEST_F(AnnotationsTest, NumbersCountWordsOrPieces) {
  const Vocabulary letters = vocabulary("char", 40);
  Encoding encoding = this->encoding(AlignmentUnit::word);
  encoding.source = encoding.target = letters;
  const AnnotatedLines lines{"a old", "der", "1-0", "1"};
  ASSERT_THAT(letters.pieces("a old"), ElementsAre("▁", "a", "▁", "o", "l", "d"));
  Example example = annotated(lines, encoding);
  EXPECT_EQ(example.links.size(), 4 * 4) << "each piece of 'old' with each of 'der'";
  encoding.alignment_unit = AlignmentUnit::piece;
  example = annotated({lines.source, lines.target, "1-0 5-3", "1"}, encoding);
  EXPECT_THAT(example.links, ElementsAre(Link{0, 1}, Link{3, 5}));
  encoding.source_tag = 3;
  example = annotated({lines.source, lines.target, "1-0 5-3", "1"}, encoding);
  EXPECT_THAT(example.links, ElementsAre(Link{0, 2}, Link{3, 6})) << "a tag is not counted";
  EXPECT_THAT(testing::complaint([&] {
                annotated({lines.source, lines.target, "6-0", "1"}, encoding);
              }),
              HasSubstr("'a', line 7: piece 6 of the source, which has 6 pieces"));
  EXPECT_THAT(testing::complaint([&] {
                annotated({lines.source, lines.target, "0-4", "1"}, encoding);
              }),
              HasSubstr("piece 4 of the target, which has 4 pieces"));
}

TEST_F(AnnotationsTest, AnotherSegmentationLinksTheSameWords) {
  const AnnotatedLines lines{"the small dog runs", "der kleine hund rennt", "0-0 2-2 3-1", "1 2 3 4"};
  const std::set<std::pair<std::int64_t, std::int64_t>> expected = {{0, 0}, {2, 2}, {3, 1}};
  EXPECT_EQ(linked_words(annotated(lines, encoding(AlignmentUnit::word))), expected);
  Vocabulary::seed_sampling(1);
  std::set<std::vector<int>> segmentations;
  for (int i = 0; i < 20; ++i) {
    const Example sampled = annotated(lines, encoding(AlignmentUnit::word, 0.1));
    EXPECT_EQ(linked_words(sampled), expected);
    segmentations.insert(sampled.source);
    const Words target = words_of(pieces_, sampled.target);
    for (std::size_t piece = 0; piece < sampled.target.size(); ++piece)
      EXPECT_EQ(sampled.weights[piece], static_cast<float>(target.of_piece[piece] + 1));
  }
  EXPECT_GT(segmentations.size(), 1U);
}

TEST_F(AnnotationsTest, PiecesOfTheBestSegmentationStandForTheirWordsInAnother) {
  const std::string source = "the small dog", target = "der kleine hund";
  const Words of_source = words_of(pieces_, source, pieces_.encode(source)),
              of_target = words_of(pieces_, target, pieces_.encode(target));
  const auto last_piece = [](const Words& words, std::int64_t word) {
    const auto found = std::find(words.of_piece.rbegin(), words.of_piece.rend(), word);
    return words.of_piece.rend() - found - 1;
  };
  const std::string alignment = fmt::format("{}-{}", last_piece(of_source, 1), last_piece(of_target, 1));
  const AnnotatedLines lines{source, target, alignment, "1"};
  EXPECT_EQ(annotated(lines, encoding(AlignmentUnit::piece)).links.size(), 1U);
  const std::set<std::pair<std::int64_t, std::int64_t>> expected = {{1, 1}};
  Vocabulary::seed_sampling(2);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(linked_words(annotated(lines, encoding(AlignmentUnit::piece, 0.1))), expected);
}

// Normalization turns some marks into spaces, and removes others.
TEST_F(AnnotationsTest, WordsAreThoseOfTheLinesAsTheyAreGiven) {
  const std::string source = "a\u00b4 \u200b the \u65e5\u672c dog\ufeffs",
                    target = "\u00a8 der\u00a0 \u200e hund \u65e5";
  const AnnotatedLines lines{source, target, "0-0 1-2 2-1 3-4 4-3", "1 2 3 4 5"};
  const Vocabulary letters = vocabulary("char", 40);
  Vocabulary::seed_sampling(4);
  for (const double alpha : {0.0, 0.2}) {
    Encoding encoding = this->encoding(AlignmentUnit::word, alpha);
    if (alpha == 0) encoding.source = encoding.target = letters;
    for (int i = 0; i < 10; ++i) {
      const Example example = annotated(lines, encoding);
      std::map<int, std::set<std::string>> sources;  // by the weight of the target piece
      for (const Link& link : example.links) {
        std::string piece = encoding.source.piece(example.source[static_cast<std::size_t>(link.source)]);
        sources[static_cast<int>(example.weights[static_cast<std::size_t>(link.target)])].insert(piece);
      }
      const auto has = [&](int word, const std::string& letter) {
        return std::ranges::any_of(sources[word],
                                   [&](auto& piece) { return piece.find(letter) != piece.npos; });
      };
      EXPECT_TRUE(has(1, "a") && !has(1, "e")) << "of the first word";
      EXPECT_TRUE(has(2, "e") && !has(2, "o")) << "'the'";
      EXPECT_TRUE(has(4, "o") && has(4, "s") && !has(4, "e")) << "'dogs'";
      EXPECT_TRUE(has(5, "<unk>") && !has(5, "o"));
      EXPECT_EQ(sources.count(3), 0U) << "that word has no pieces";
    }
  }
  EXPECT_THAT(testing::complaint([&] {
                annotated({source, target, "5-0", "1"}, encoding(AlignmentUnit::word));
              }),
              HasSubstr("word 5 of the source, which has 5 words"));
  EXPECT_THAT(testing::complaint([&] {
                annotated({source, target, "", "1 1 1 1"}, encoding(AlignmentUnit::word));
              }),
              HasSubstr("4 weights, but the target has 5 words"));
}

TEST_F(AnnotationsTest, ColumnsOfATextHoldThem) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.tsv", "0-0 1-1\tthe dog\tx\tder hund\t2\n\told man\t\tmann\t1\n");
  const std::vector<Column> columns = {Column::alignment, Column::source, Column::skip, Column::target,
                                       Column::weights};
  const Encoding words{.source = small_vocabulary(),
                       .target = small_vocabulary(),
                       .filter = {},
                       .has_alignment = true,
                       .has_weights = true};
  const TextCorpus corpus(ParallelText(PairReader::from_columns(path, {}, columns)), words);
  Dropped dropped;
  const std::vector<std::int64_t> all = {0, 1};
  const std::vector<Example> examples = corpus.examples(all, 0, dropped, false);
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].source, words.source.encode("the dog"));
  EXPECT_THAT(examples[0].links, ElementsAre(Link{0, 0}, Link{1, 1}));
  EXPECT_THAT(examples[0].weights, ElementsAre(2));
  EXPECT_THAT(examples[1].links, IsEmpty());
  const std::string other = folder.write("u.tsv", "0-0 1-0\tthe dog\tx\tder hund\t2\n\told man\t\tmann\t1\n");
  EXPECT_NE(TextCorpus(ParallelText(PairReader::from_columns(other, {}, columns)), words).fingerprint(),
            corpus.fingerprint());
  EXPECT_THAT(
      testing::complaint([&] { ParallelText::from_columns(path); }),
      HasSubstr("t.tsv', line 1: 5 columns; a line must have the source and the target, separated by tabs"));
}

}  // namespace
}  // namespace nmt
