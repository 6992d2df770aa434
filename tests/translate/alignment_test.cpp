#include "translate/scoring/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "backend/factory.h"
#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Words, OfWhatAModelWritesAreThoseOfItsText) {
  const Vocabulary vocabulary = testing::text_vocabulary();
  std::vector<int> ids = vocabulary.encode("der hund");
  const std::size_t hund = ids.size();
  ids.insert(ids.end(), {*vocabulary.begin(), vocabulary.unknown(), *vocabulary.find("s")});
  EXPECT_EQ(vocabulary.decode(ids), "der hund \u2047 s");
  const Words found = words_of(vocabulary, ids);
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.of_piece[hund - 1], 1);
  EXPECT_EQ(found.of_piece[hund + 1], 2);
  EXPECT_EQ(found.of_piece[hund + 2], 3);
}

TEST(Words, TokensOfLanguagesAreOfNone) {
  const LanguageUse languages{{{"de", 4}}, LanguageUse::Source::own_at_end, LanguageUse::Target::first};
  const Vocabulary words = make_word_vocabulary({"</s>", "<unk>", "der", "hund", "__de__"},
                                                {.special = {1}, .languages = languages}, "words");
  const Vocabulary source = words.for_languages(Side::source, {"de", "de"}),
                   target = words.for_languages(Side::target, {"de", "de"});
  const std::string text = "der hase hund";
  EXPECT_THAT(words_of(source, text, source.encode(text)).of_piece, ElementsAre(0, 1, 2, 3))
      << "EOS is after them";
  EXPECT_THAT(words_of(target, text, target.encode(text)).of_piece, ElementsAre(3, 0, 1, 2));
  EXPECT_THAT(words_of(target, text, {4, 2}).of_piece, ElementsAre(3, 0)) << "a truncated text";
  EXPECT_THAT(words_of(target, {4, 2, 1, 3}).of_piece, ElementsAre(2, 0, 2, 1))
      << "the unknown word vanishes";
}

// Two source words and three target words.
const Alignment kSmall = {2, 3, {0.1, 0.2, 0.7, 0.6, 0.3, 0.1, 0.3, 0.3, 0.4, 0.0, 0.1, 0.9}};

TEST(Alignment, HardPointsLeaveOutTheEnds) {
  EXPECT_THAT(hard_alignment(kSmall), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 0)));
  EXPECT_THAT(hard_alignment({0, 1, {1, 1}}), IsEmpty());
  EXPECT_THAT(hard_alignment({1, 0, {0, 1}}), IsEmpty());
}

TEST(Alignment, WordsWithoutPiecesHaveNoPoints) {
  const Alignment alignment = {3, 2, {0, 0.6, 0.3, 0.1, 0, 0, 0, 0, 0, 0.5, 0, 0.5}};
  EXPECT_THAT(hard_alignment(alignment), ElementsAre(Pair(1, 0)));
  EXPECT_THAT(sources_of_words(alignment), ElementsAre(1, -1));
  EXPECT_THAT(alignment_above(alignment, 0.2), ElementsAre(Pair(1, 0), Pair(2, 0)));
}

TEST(Alignment, OfPartsIsThatOfTheWholeTexts) {
  const Alignment whole = within(kSmall, {1, 4}, {1, 4});
  EXPECT_EQ(whole.source_words, 4);
  EXPECT_EQ(whole.target_words, 4);
  EXPECT_THAT(whole.weights, ElementsAre(0, 0, 0, 0, 0,        //
                                         0, 0.1, 0.2, 0, 0.7,  //
                                         0, 0.6, 0.3, 0, 0.1,  //
                                         0, 0.3, 0.3, 0, 0.4,  //
                                         0, 0.0, 0.1, 0, 0.9));
  EXPECT_EQ(within(kSmall, {0, 2}, {0, 3}).weights, kSmall.weights);
  EXPECT_THAT(within(Alignment(), {0, 1}, {0, 0}).weights, ElementsAre(0, 1));
}

TEST(Alignment, PointsAboveAThreshold) {
  EXPECT_THAT(alignment_above(kSmall, 0.25), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 1), Pair(1, 2)));
  EXPECT_THAT(alignment_above(kSmall, 0.6), IsEmpty());
}

class AlignerTest : public ::testing::TestWithParam<std::string> {
 protected:
  AlignedPair pair(const std::string& source, const std::string& target) const {
    return {{0, vocabulary_.encode(source), vocabulary_.encode(target)},
            words_of(vocabulary_, source, vocabulary_.encode(source)),
            words_of(vocabulary_, target, vocabulary_.encode(target))};
  }
  std::vector<Alignment> align(const std::vector<AlignedPair>& pairs, const AlignmentSettings& settings = {},
                               std::int64_t batch_tokens = 1000) {
    return Aligner(model_, *backend_, settings).align(workers_.whole(), pairs, batch_tokens);
  }

  std::unique_ptr<Backend> backend_ = open_backend({.device = GetParam(), .threads = 2});
  Vocabulary vocabulary_ = testing::text_vocabulary();
  SavedModel model_ = testing::text_model(*backend_, vocabulary_, {{"decoder_layers", 2}});
  Workers workers_{*backend_};
  std::vector<AlignedPair> pairs_ = {pair("the old man sees a bridge.", "der alte mann sieht."),
                                     pair("a dog", ""), pair("", "ein hund"),
                                     pair("the dog runs.", "der kleine hund rennt.")};
};

// The columns of the pieces of a word are added up; rows and heads are averaged.
TEST_P(AlignerTest, WordsTakeTheWeightsOfTheirPieces) {
  const AlignedPair& pair = pairs_[0];
  ASSERT_GT(pair.ids.source.size(), static_cast<std::size_t>(pair.source.count)) << "no word has two pieces";
  ASSERT_GT(pair.ids.target.size(), static_cast<std::size_t>(pair.target.count));
  const auto seen = forced_attention(
      *model_.model, workers_.whole(), {pair.ids}, model_.special_tokens,
      [](AttentionKind kind, int layer) { return kind == AttentionKind::cross && layer == 1; });
  const std::vector<double> weights = download_reals(*backend_, seen.at(0).weights);
  const Alignment found = align({pair})[0];
  const std::size_t keys = pair.ids.source.size() + 1;
  for (std::int64_t target = 0; target <= pair.target.count; ++target) {
    for (std::int64_t source = 0; source <= pair.source.count; ++source) {
      double sum = 0, rows = 0;
      for (std::size_t row = 0; row <= pair.ids.target.size(); ++row) {
        if ((row < pair.ids.target.size() ? pair.target.of_piece[row] : pair.target.count) != target)
          continue;
        ++rows;
        for (std::size_t key = 0; key < keys; ++key) {
          if ((key + 1 < keys ? pair.source.of_piece[key] : pair.source.count) != source) continue;
          sum += (weights[row * 2 * keys + key] + weights[(row * 2 + 1) * keys + key]) / 2;
        }
      }
      EXPECT_NEAR(found.weight(target, source), sum / rows, 1e-12) << target << ' ' << source;
    }
  }
}

TEST_P(AlignerTest, RowsSumToOneAndPairsDoNotSeeEachOther) {
  const std::vector<Alignment> together = align(pairs_);
  ASSERT_EQ(together.size(), pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    EXPECT_EQ(together[i].source_words, pairs_[i].source.count);
    EXPECT_EQ(together[i].target_words, pairs_[i].target.count);
    EXPECT_EQ(align({pairs_[i]})[0].weights, together[i].weights);
    for (std::int64_t target = 0; target <= together[i].target_words; ++target) {
      double sum = 0;
      for (std::int64_t source = 0; source <= together[i].source_words; ++source) {
        sum += together[i].weight(target, source);
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  EXPECT_EQ(align(pairs_, {}, 1)[3].weights, together[3].weights) << "the batch size matters";
}

TEST_P(AlignerTest, SpecialTokensOfASourceAreNoWords) {
  for (const std::string marks : {"none", "bos", "both"}) {
    const SavedModel model = testing::text_model(*backend_, vocabulary_, {{"source_special_tokens", marks}});
    const std::vector<Alignment> found = Aligner(model, *backend_, {}).align(workers_.whole(), pairs_, 1000);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool has_none = marks == "none" && pairs_[i].source.count > 0;
      for (std::int64_t target = 0; target <= found[i].target_words; ++target) {
        double sum = 0;
        for (std::int64_t source = 0; source <= found[i].source_words; ++source)
          sum += found[i].weight(target, source);
        EXPECT_NEAR(sum, 1, 1e-5) << marks;
        EXPECT_EQ(found[i].weight(target, found[i].source_words) == 0, has_none) << marks;
      }
    }
  }
}

// The weights do not depend on the direction, so reversing a reversed target has no effect on them.
TEST_P(AlignerTest, ATargetFromRightToLeftHasItsWordsInTheirOrder) {
  const std::vector<Alignment> forward = align(pairs_);
  std::vector<AlignedPair> reversed = pairs_;
  for (AlignedPair& pair : reversed) {
    std::ranges::reverse(pair.ids.target);
    std::ranges::reverse(pair.target.of_piece);
  }
  model_.special_tokens.target_reversed = true;
  const std::vector<Alignment> backward = align(reversed);
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    EXPECT_THAT(backward[i].weights, ::testing::Pointwise(::testing::DoubleNear(1e-6), forward[i].weights));
}

TEST_P(AlignerTest, ASourceFromRightToLeftHasItsWordsInTheirOrder) {
  const std::vector<Alignment> forward = align(pairs_);
  std::vector<AlignedPair> reversed = pairs_;
  for (AlignedPair& pair : reversed) {
    std::ranges::reverse(pair.ids.source);
    std::ranges::reverse(pair.source.of_piece);
  }
  model_.special_tokens.source_reversed = true;
  const std::vector<Alignment> backward = align(reversed);
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    EXPECT_THAT(backward[i].weights, ::testing::Pointwise(::testing::DoubleNear(1e-6), forward[i].weights));
}

TEST_P(AlignerTest, ALanguageModelAlignsNothing) {
  nlohmann::json lm = {{"type", "lm"}, {"d_model", 16}, {"d_ff", 32}, {"heads", 2}, {"decoder_layers", 1}};
  lm["target_vocabulary"] = vocabulary_.size();
  model_.model = testing::formula_model(lm, 3, *backend_);
  EXPECT_THROW(align(pairs_), UsageError);
}

TEST_P(AlignerTest, LayersAndHeadsAreChosen) {
  const auto weights = [&](const AlignmentSettings& settings) {
    return align({pairs_[0]}, settings)[0].weights;
  };
  EXPECT_EQ(weights({}), weights({.layer = 2, .heads = {1, 2}}));
  EXPECT_NE(weights({}), weights({.layer = 1, .heads = {}}));
  const auto first = weights({.layer = {}, .heads = {1}}), second = weights({.layer = {}, .heads = {2}});
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_NEAR(weights({})[i], (first[i] + second[i]) / 2, 1e-12);
  EXPECT_THROW(weights({.layer = 3, .heads = {}}), UsageError);
  EXPECT_THROW(weights({.layer = {}, .heads = {1, 3}}), UsageError);
}

TEST_P(AlignerTest, TranslationsAreAlignedWithTheirLines) {
  const std::vector<std::string> lines = {"the dog.", "", "a small bridge runs."};
  const TranslationSettings settings = {.search = {.max_length_extra = 5, .n_best = 2},
                                        .alignment = AlignmentSettings{.layer = 1, .heads = {}}};
  const std::vector<NBest> found = Translator(model_, workers_, settings).translate_n_best(lines);
  EXPECT_THAT(hard_alignment(found[1][0].alignment), IsEmpty());
  for (const std::size_t line : {0U, 2U}) {
    ASSERT_EQ(found[line].size(), 2U);
    for (const Translation& translation : found[line]) {
      const auto spaces = std::ranges::count(lines[line], ' ');
      EXPECT_EQ(translation.alignment.source_words, spaces + 1);
      std::istringstream text(translation.text);
      EXPECT_EQ(translation.alignment.target_words, std::distance(std::istream_iterator<std::string>(text),
                                                                  std::istream_iterator<std::string>()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, AlignerTest, ::testing::Values("reference", "cpu"),
                         [](const auto& device) { return device.param; });

TEST(Coverage, IsWhatEachSourceWordLacks) {
  // Two words and EOS on each side, with attention of 0.5, 1.5 and 1.
  const Alignment alignment{2, 2, {0.25, 0.5, 0.25, 0.125, 0.75, 0.125, 0.125, 0.25, 0.625}};
  EXPECT_DOUBLE_EQ(log_coverage(alignment), std::log(0.5));
  EXPECT_EQ(log_coverage(Alignment()), 0);
  EXPECT_EQ(log_coverage({1, 0, {1, 0}}), 0) << "what nothing can look at";
}

class CoverageOfSearch : public ::testing::TestWithParam<BeamRules> {};

TEST_P(CoverageOfSearch, ChoosesAmongWhatIsFound) {
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model = testing::text_model(*backend, testing::text_vocabulary());
  Workers workers(*backend);
  const std::vector<std::string> lines = testing::source_lines(6);
  SearchSettings search{.beam = 5, .beam_rules = GetParam(), .n_best = 5};
  const std::vector<NBest> without = Translator(model, workers, {.search = search}).translate_n_best(lines);
  search.coverage_penalty = 0.7;
  search.n_best = 2;
  const std::vector<NBest> with =
      Translator(model, workers, {.search = search, .alignment = AlignmentSettings{}})
          .translate_n_best(lines);
  const Aligner aligner(model, *backend, {});
  int others = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    ASSERT_EQ(with[line].size(), 2);
    EXPECT_GE(with[line][0].score, with[line][1].score);
    EXPECT_LE(with[line][0].score, without[line][0].score);
    others += with[line][0].text != without[line][0].text;
    for (const Translation& same : with[line]) {
      const auto before = std::ranges::find_if(without[line], [&](const Translation& other) {
        return other.text == same.text && other.log_probability == same.log_probability;
      });
      if (before == without[line].end()) continue;
      EXPECT_LE(same.score, before->score);
    }
  }
  EXPECT_GT(others, 0);
}

INSTANTIATE_TEST_SUITE_P(ByRules, CoverageOfSearch,
                         ::testing::Values(BeamRules::nmt, BeamRules::marian, BeamRules::ctranslate2));

TEST(Coverage, IsAddedToTheScoresOfHypotheses) {
  const auto backend = open_backend({.device = "cpu", .threads = 2});
  const SavedModel model = testing::text_model(*backend, testing::text_vocabulary());
  Workers workers(*backend);
  const Aligner aligner(model, *backend, {});
  const std::vector<int> source = model.vocabularies.source.encode(testing::source_lines(1)[0]);
  const SearchSettings search{.n_best = 3, .coverage_penalty = 2};
  std::vector<Hypothesis> hypotheses;
  for (std::int32_t length = 0; length < 5; ++length) hypotheses.push_back({-1, -1, {}});
  for (std::size_t i = 0; i < hypotheses.size(); ++i) hypotheses[i].ids.assign(3 * i, 7);
  hypotheses[4].missing = 1;
  add_coverage(aligner, workers.whole(), source, search, 64, hypotheses);
  ASSERT_EQ(hypotheses.size(), 3);
  double before = 0;
  for (const Hypothesis& hypothesis : hypotheses) {
    EXPECT_EQ(hypothesis.missing, 0) << "that of a constraint comes last";
    const AlignedPair pair{
        {0, source, hypothesis.ids}, each_a_word(source.size()), each_a_word(hypothesis.ids.size())};
    const double expected = -1 + 2 * log_coverage(aligner.align(workers.whole(), {pair}, 64).front());
    EXPECT_DOUBLE_EQ(hypothesis.score, expected);
    EXPECT_LE(hypothesis.score, before);
    before = hypothesis.score;
  }
}

}  // namespace

}  // namespace nmt
