#include "nmt/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "backend/factory.h"
#include "common/complaint.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "nn/comet/comet_model.h"
#include "nn/formula_weights.h"
#include "nn/saved/saved_judge.h"
#include "translate/quality/comet_metric.h"
#include "translate/scoring/alignment.h"
#include "translate/scoring/scorer.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    const SavedModel model = testing::text_model(*backend_, vocabulary_);
    save_model(path_, write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
  }

  const std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 2});
  const Vocabulary vocabulary_ = testing::text_vocabulary();
  const std::vector<std::string> lines_ = testing::source_lines(10);
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "model.safetensors";
  const v1::EngineSettings settings_ = {.device = "cpu", .threads = 2};
};

TEST_F(EngineTest, TranslatesAsTheTranslatorDoes) {
  const SavedModel model = open_model(path_, *backend_);
  Workers workers(*backend_);
  Translator translator(model, workers, {.search = {.beam = 3, .n_best = 2}});
  const std::vector<NBest> expected = translator.translate_n_best(lines_);
  v1::Engine engine({path_}, settings_);
  const auto translations = engine.translate(lines_, {.beam = 3, .n_best = 2});
  ASSERT_THAT(translations, SizeIs(lines_.size()));
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    ASSERT_THAT(translations[i], SizeIs(expected[i].size()));
    for (std::size_t n = 0; n < expected[i].size(); ++n) {
      EXPECT_EQ(translations[i][n].text, expected[i][n].text);
      EXPECT_EQ(translations[i][n].score, expected[i][n].score);
    }
  }
  EXPECT_EQ(engine.translate({""})[0][0].text, "");
  EXPECT_THAT(engine.translate({}), IsEmpty());
}

TEST_F(EngineTest, AlignsAsTheAlignerDoes) {
  const SavedModel model = open_model(path_, *backend_);
  Workers workers(*backend_);
  const Example ids{1, vocabulary_.encode(lines_[0]), vocabulary_.encode(lines_[1])};
  const AlignedPair pair{ids, words_of(vocabulary_, lines_[0], ids.source),
                         words_of(vocabulary_, lines_[1], ids.target)};
  const Alignment expected = Aligner(model, *backend_, {}).align(workers.whole(), {pair}, 100)[0];
  v1::Engine engine({path_}, settings_);
  const auto alignments = engine.align({{lines_[0], lines_[1]}, {"", ""}});
  ASSERT_THAT(alignments, SizeIs(2));
  EXPECT_EQ(alignments[0].weights, expected.weights);
  EXPECT_EQ(alignments[0].source_words, static_cast<std::size_t>(expected.source_words));
  EXPECT_EQ(alignments[1].weights, std::vector<double>{1});
}

TEST_F(EngineTest, TranslationsBeginWithPrefixesAndTellTheirTokens) {
  v1::Engine engine({path_}, settings_);
  v1::SearchSettings settings{.beam = 2, .prefixes = {"la rano", ""}, .score_tokens = true};
  const auto found = engine.translate({lines_[0], lines_[0]}, settings);
  EXPECT_THAT(found[0][0].text, ::testing::StartsWith("la rano"));
  EXPECT_EQ(found[0][0].tokens.at(0).log_probability, 0);
  EXPECT_EQ(found[1][0].text, engine.translate({lines_[0]}, {.beam = 2})[0][0].text);
  double sum = 0, of_words = 0;
  for (const v1::ScoredPart& token : found[1][0].tokens) sum += token.log_probability;
  for (const v1::ScoredPart& word : found[1][0].words) of_words += word.log_probability;
  EXPECT_NEAR(sum, found[1][0].log_probability, 1e-9);
  EXPECT_LE(sum, of_words);  // without EOS
  EXPECT_THAT(engine.translate(lines_)[0][0].tokens, IsEmpty());
  EXPECT_THAT(
      [&] { engine.translate(lines_, settings); },
      ThrowsMessage<std::runtime_error>(HasSubstr("the number of prefixes is 2, but that of texts 10")));
}

TEST_F(EngineTest, ATextHasConstraintsOfItsOwn) {
  v1::Engine engine({path_}, settings_);
  const std::vector<std::string> texts(3, lines_[0]);
  const v1::SearchSettings all{.beam = 8, .min_length = 4, .constraints = {{"rano"}}};
  const std::string usual = engine.translate(texts, {.beam = 8, .min_length = 4})[0][0].text;
  const std::string avoided = usual.substr(0, usual.find(' '));
  ASSERT_NE(avoided, "rano");
  v1::SearchSettings own = all;
  own.constraints_of_texts = {{}, {{"luno"}}, {}};
  own.avoid_of_texts = {{}, {}, {avoided}};
  const auto found = engine.translate(texts, own);
  EXPECT_EQ(found[0][0].text, engine.translate({texts[0]}, all)[0][0].text);
  EXPECT_THAT(found[1][0].text, ::testing::AllOf(HasSubstr("rano"), HasSubstr("luno")));
  EXPECT_THAT(found[2][0].text, ::testing::Not(HasSubstr(avoided)));
  EXPECT_THAT([&] { engine.translate({texts[0]}, own); },
              ThrowsMessage<std::runtime_error>(
                  HasSubstr("the number of constraints_of_texts is 3, but that of texts 1")));
}

TEST_F(EngineTest, ATextHasTheTermsOfAGlossary) {
  v1::Engine engine({path_}, settings_);
  v1::SearchSettings settings{.beam = 8, .min_length = 4};
  const std::string word = lines_[0].substr(0, lines_[0].find(' '));
  const std::string usual = engine.translate({lines_[0]}, settings)[0][0].text;
  settings.glossary = {{.source = word, .targets = {"rano", "\u8a9e"}},
                       {.source = "qqq", .targets = {"luno"}}};
  const v1::Translation found = engine.translate({lines_[0]}, settings)[0][0];
  EXPECT_THAT(found.text, HasSubstr("rano"));
  ASSERT_EQ(found.terms.size(), 1U);
  EXPECT_EQ(found.terms[0].source, word);
  EXPECT_THAT(found.terms[0].targets, ElementsAre("rano", "\u8a9e"));
  EXPECT_TRUE(found.terms[0].is_met);
  settings.glossary = {{.source = word}, {.source = word}};
  EXPECT_THAT([&] { engine.translate({lines_[0]}, settings); },
              ThrowsMessage<std::runtime_error>(HasSubstr("`glossary`, term 2")));
  settings.glossary = {{.source = "qqq", .targets = {"luno"}}};
  EXPECT_EQ(engine.translate({lines_[0]}, settings)[0][0].text, usual);
}

TEST_F(EngineTest, TranslatesTheSentencesOfATextForThemselves) {
  v1::Engine engine({path_}, settings_);
  const std::string a = "La rano saltas. ", b = "Vidu tion.", text = a + " " + b;
  const auto alone = engine.translate({"La rano saltas.", b});
  const auto split = engine.translate({text, ""}, {.split_sentences = true});
  EXPECT_EQ(split[0][0].text, alone[0][0].text + "  " + alone[1][0].text);
  EXPECT_EQ(split[0][0].log_probability, alone[0][0].log_probability + alone[1][0].log_probability);
  EXPECT_EQ(split[1][0].text, "");
  // Without a known language, the number may be an ordinal.
  const std::string number = "La rano 11. Vidu tion.";
  EXPECT_NE(
      engine.translate({number}, {.split_sentences = true})[0][0].log_probability,
      engine.translate({number}, {.split_sentences = true, .split_language = "en"})[0][0].log_probability);
  EXPECT_THAT([&] { engine.translate({text}, {.split_sentences = true, .abbreviations = "none/there"}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("none/there")));
  const auto lists = engine.translate({text, "La rano saltas.", b}, {.n_best = 2, .split_sentences = true});
  ASSERT_THAT(lists[0], SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(lists[0][i].text, lists[1][i].text + "  " + lists[2][i].text);
  EXPECT_THAT([&] { engine.translate({text}, {.n_best = 2, .alternatives = true, .split_sentences = true}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("for texts of one sentence")));
  EXPECT_THAT([&] { engine.translate({text}, {.split_sentences = true, .split_language = "?"}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("not a language code")));
}

TEST_F(EngineTest, WarnsOnceOfTextThatTheModelDoesNotKnow) {
  v1::Engine engine({path_}, settings_);
  engine.translate(lines_);
  EXPECT_THAT(engine.take_warnings(), IsEmpty());
  const std::string unknown = "\u65e5\u672c\u8a9e \u6f22\u5b57";
  std::vector<std::string> texts(500, unknown);
  engine.translate(texts);
  EXPECT_THAT(engine.take_warnings(),
              ElementsAre(AllOf(HasSubstr("source tokens are unknown to the model"),
                                HasSubstr("make sure that the text is in its language and script"))));
  engine.translate(texts);
  EXPECT_THAT(engine.take_warnings(), IsEmpty()) << "it was told";
  engine.translate({">>deu<< " + lines_[0]});
  EXPECT_THAT(engine.take_warnings(), ElementsAre(HasSubstr("begins with >>deu<<")));
  v1::Engine scores({path_}, settings_);
  scores.score({{lines_[0], lines_[1]}});
  EXPECT_THAT(scores.take_warnings(), IsEmpty());
  scores.score(std::vector<v1::TextPair>(100, {lines_[0], unknown}));
  EXPECT_THAT(scores.take_warnings(), ElementsAre(HasSubstr("target tokens are unknown to the model")));
}

TEST_F(EngineTest, ALanguageModelCountsBesideTheModels) {
  const SavedModel lm = testing::text_model(*backend_, vocabulary_, {{"type", "lm"}});
  v1::EngineSettings fused = settings_;
  fused.language_model = folder_ / "lm.safetensors";
  fused.language_model_weight = 0.5;
  save_model(fused.language_model, write_model_settings(lm.settings), lm.vocabularies,
             lm.model->training_weights());
  v1::Engine engine({path_}, fused), plain({path_}, settings_), alone({fused.language_model}, settings_);
  const std::vector<v1::TextPair> pairs = {{lines_[0], lines_[1]}};
  const std::vector<double> both = engine.score(pairs)[0], model = plain.score(pairs)[0],
                            language = alone.score(pairs)[0];
  ASSERT_EQ(both.size(), model.size());
  for (std::size_t i = 0; i < both.size(); ++i) EXPECT_NEAR(both[i], model[i] + 0.5 * language[i], 1e-5);
  EXPECT_NE(engine.translate(lines_)[0][0].score, plain.translate(lines_)[0][0].score);
  EXPECT_THAT([&] { alone.translate(lines_); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is a language model")));
  EXPECT_THAT([&] { v1::Engine({fused.language_model}, fused); },
              ThrowsMessage<std::runtime_error>(HasSubstr("which cannot translate")));
  fused.language_model = path_;
  EXPECT_THAT([&] { v1::Engine({path_}, fused); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is a translation model")));
  fused.language_model_weight = 0;
  EXPECT_THAT([&] { v1::Engine({path_}, fused); }, ThrowsMessage<std::runtime_error>(HasSubstr("above 0")));
}

TEST_F(EngineTest, IsToldLanguages) {
  const LanguageUse languages{
      {{"de", 3}, {"en", 4}}, LanguageUse::Source::own_before, LanguageUse::Target::first};
  const Vocabulary words = make_word_vocabulary({"</s>", "<unk>", "<s>", "__de__", "__en__", "hund", "dog"},
                                                {.begin = 2, .languages = languages}, "words");
  const SavedModel model = testing::text_model(*backend_, words);
  save_model(path_, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  EXPECT_THAT([&] { v1::Engine({path_}, settings_); },
              ThrowsMessage<std::runtime_error>(HasSubstr("choose one with `source_language`: de, en")));
  v1::EngineSettings told = settings_;
  told.source_language = "de";
  told.target_language = "en";
  v1::Engine engine({path_}, told);
  EXPECT_THAT(engine.translate({"hund"}), SizeIs(1));
  EXPECT_THAT(engine.score({{"hund", "dog dog"}})[0], SizeIs(4)) << "of the language, two words, and EOS";
}

TEST_F(EngineTest, WhatIsLeftOutIsAsTheModelAsksFor) {
  const SavedModel model = testing::text_model(*backend_, vocabulary_);
  const std::string path = folder_ / "decoding.safetensors";
  const auto write = [&](const DecodingSettings& decoding) {
    save_model(path, write_model_settings(model.settings) + write_decoding_settings(decoding),
               model.vocabularies, model.model->training_weights());
  };
  const auto scores = [&](const std::string& file, const v1::SearchSettings& settings) {
    std::vector<double> all;
    for (const auto& list : v1::Engine({file}, settings_).translate(lines_, settings)) {
      for (const v1::Translation& each : list) all.push_back(each.score);
    }
    return all;
  };
  write({{"beam", "6"}, {"length_penalty", "1.2"}, {"max_length_extra", "4"}});
  const v1::SearchSettings same = {.beam = 6, .n_best = 6, .length_penalty = 1.2, .max_length_extra = 4};
  EXPECT_EQ(scores(path, {.n_best = 6}), scores(path_, same));
  EXPECT_EQ(scores(path, {.beam = 2, .length_penalty = 0.5, .max_length_extra = 50}),
            scores(path_, {.beam = 2, .length_penalty = 0.5}));
  write({{"length_normalization", "linear"}});
  EXPECT_THAT([&] { scores(path, {}); },
              ThrowsMessage<std::runtime_error>(
                  HasSubstr("decoding: length_normalization 'linear' is not one of wu, power")));
}

TEST_F(EngineTest, SamplesDependOnSeedAndPlace) {
  v1::Engine engine({path_}, settings_);
  const auto draw = [&](const std::vector<std::string>& lines, std::uint64_t seed) {
    std::vector<std::string> texts;
    const v1::SearchSettings sampling = {.n_best = 5,
                                         .sampling = v1::SamplingSettings{.temperature = 2, .seed = seed}};
    for (const auto& list : engine.translate(lines, sampling)) {
      for (const v1::Translation& each : list) texts.push_back(each.text);
    }
    return texts;
  };
  const std::vector<std::string> two = draw({lines_[0], lines_[0]}, 3);
  const std::vector<std::string> first(two.begin(), two.begin() + 5), second(two.begin() + 5, two.end());
  EXPECT_EQ(draw({lines_[0]}, 3), first);
  EXPECT_NE(first, second);
  EXPECT_NE(draw({lines_[0]}, 4), first);
}

TEST_F(EngineTest, SamplesOfTheSecondHalfAreThoseOfTheWhole) {
  v1::Engine engine({path_}, settings_);
  const auto all = engine.translate(lines_, {.sampling = v1::SamplingSettings{.seed = 3}});
  const std::vector<std::string> half(lines_.begin() + 5, lines_.end());
  const auto translations =
      engine.translate(half, {.sampling = v1::SamplingSettings{.seed = 3, .first_place = 5}});
  for (std::size_t i = 0; i < half.size(); ++i) EXPECT_EQ(translations[i][0].text, all[5 + i][0].text);
}

TEST_F(EngineTest, WhoWaitsMayGiveUp) {
  v1::Engine engine({path_}, settings_);
  int asked = 0;
  const auto expected = engine.translate(lines_, {}, [&] { ++asked; });
  EXPECT_GE(asked, 1);
  const auto give_up = [] { throw std::runtime_error("enough"); };
  EXPECT_THAT([&] { engine.translate(lines_, {}, give_up); },
              ThrowsMessage<std::runtime_error>(HasSubstr("enough")));
  EXPECT_EQ(engine.translate(lines_)[9][0].text, expected[9][0].text);
}

TEST_F(EngineTest, TokensFollowTheSettings) {
  v1::Engine engine({path_}, settings_);
  const auto usual = engine.translate(lines_);
  for (const v1::SearchSettings& settings :
       {v1::SearchSettings{.min_length = 30}, {.no_repeat_ngram_size = 1}, {.repetition_penalty = 5}}) {
    const auto others = engine.translate(lines_, settings);
    EXPECT_FALSE(std::ranges::equal(
        others, usual, {}, [](const auto& list) { return list[0].text; },
        [](const auto& list) { return list[0].text; }));
  }
}

TEST_F(EngineTest, ScoresAsTheScorerDoes) {
  const SavedModel model = open_model(path_, *backend_);
  Worker worker(*backend_);
  const auto expected =
      score(*model.model, worker, {{0, vocabulary_.encode("der hund"), vocabulary_.encode("the dog")}},
            model.special_tokens);
  v1::Engine engine({path_}, settings_);
  EXPECT_EQ(engine.score({{"der hund", "the dog"}}), expected);
  EXPECT_THAT(engine.score({}), IsEmpty());
}

TEST_F(EngineTest, ThreadsTakeTurns) {
  v1::Engine first({path_}, settings_);
  v1::Engine engine = std::move(first);
  const std::string expected = engine.translate(lines_)[0][0].text;
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string& text : found) threads.emplace_back([&] { text = engine.translate(lines_)[0][0].text; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, ElementsAre(expected, expected, expected, expected));
}

TEST_F(EngineTest, TakesCoverageAndAlternatives) {
  v1::Engine engine({path_}, settings_);
  const double usual = engine.translate({lines_[0]}, {.beam = 4})[0][0].score;
  EXPECT_LT(engine.translate({lines_[0]}, {.beam = 4, .coverage_penalty = 3})[0][0].score, usual);
  const auto all = engine.translate({lines_[0]}, {.beam = 2, .n_best = 3, .alternatives = true})[0];
  ASSERT_EQ(all.size(), 3);
  EXPECT_GT(all[0].alternative->log_probability, all[1].alternative->log_probability);
  EXPECT_NE(all[0].alternative->text, all[1].alternative->text);
}

TEST_F(EngineTest, TakesWhatScoresAreAndWhenSearchEnds) {
  const SavedModel model = open_model(path_, *backend_);
  Workers workers(*backend_);
  Translator translator(model, workers,
                        {.search = {.beam = 3,
                                    .length_penalty = 1,
                                    .length_normalization = LengthNormalization::power,
                                    .word_penalty = 0.5,
                                    .beam_rules = BeamRules::huggingface,
                                    .patience = 1}});
  const std::vector<NBest> expected = translator.translate_n_best(lines_);
  v1::Engine engine({path_}, settings_);
  const auto found = engine.translate(lines_, {.beam = 3,
                                               .length_penalty = 1,
                                               .length_normalization = "power",
                                               .word_penalty = 0.5,
                                               .beam_rules = "huggingface",
                                               .patience = 1});
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    EXPECT_EQ(found[i][0].text, expected[i][0].text);
    EXPECT_EQ(found[i][0].score, expected[i][0].score);
  }
  EXPECT_NE(found[0][0].score, engine.translate(lines_)[0][0].score);
  EXPECT_THAT(
      [&] { engine.translate(lines_, {.beam_rules = "mine"}); },
      ThrowsMessage<std::runtime_error>(HasSubstr("beam_rules is 'mine': it must be one of nmt, marian")));
}

TEST_F(EngineTest, TellsWhatItTruncates) {
  v1::Engine engine({path_}, settings_);
  std::string text;
  for (int i = 0; i < 1100; ++i) text += "la ";
  engine.score({{"la rano", "la"}});
  EXPECT_THAT(engine.take_warnings(), IsEmpty());
  engine.score({{"la rano", "la"}, {text, "la"}, {"la", text}});
  EXPECT_THAT(engine.take_warnings(),
              ElementsAre("2 pairs truncated to the first 1024 tokens, beginning with pair 2"));
  engine.align({{text, "la"}, {"la rano", "la"}});
  EXPECT_THAT(engine.take_warnings(),
              ElementsAre("1 pair truncated to the first 1024 tokens, beginning with pair 1"));
  const v1::Translation aligned = engine.translate({text}, {.max_length_factor = 0, .align = true})[0][0];
  EXPECT_TRUE(aligned.truncated);
  EXPECT_THAT(aligned.notices,
              ElementsAre(HasSubstr("truncated, not split, because `alignment` is of the whole")));
}

TEST_F(EngineTest, KeepsMarkupAndTellsAlignments) {
  v1::Engine engine({path_}, settings_);
  const v1::Translation plain = engine.translate({lines_[0]}, {.align = true})[0][0];
  const v1::Alignment aligned = engine.align({{lines_[0], plain.text}})[0];
  EXPECT_THAT(plain.alignment->weights, ::testing::Pointwise(::testing::DoubleNear(1e-5), aligned.weights));
  EXPECT_EQ(engine.translate({lines_[0]})[0][0].alignment, std::nullopt);
  const std::string marked =
      engine.translate({"<p class='a'>" + lines_[0] + "</p>"}, {.markup = true})[0][0].text;
  EXPECT_EQ(marked, "<p class='a'>" + plain.text + "</p>");
  EXPECT_THAT([&] { engine.translate({"a"}, {.markup = true, .align = true}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("`markup` and `alignment` exclude each other")));
  EXPECT_THAT([&] { engine.translate({"a"}, {.unknown = false, .replace_unknown = true}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("replace_unknown")));
}

TEST_F(EngineTest, ModelsOfAnEnsembleHaveWeights) {
  const std::string other = folder_ / "other.safetensors";
  const SavedModel model = testing::text_model(*backend_, vocabulary_, {{"d_ff", "24"}});
  save_model(other, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  const std::vector<v1::TextPair> pairs = {{lines_[0], lines_[1]}};
  v1::EngineSettings weighted = settings_;
  weighted.weights = {3, 1};
  const std::vector<double> first = v1::Engine({path_}, settings_).score(pairs)[0],
                            second = v1::Engine({other}, settings_).score(pairs)[0],
                            both = v1::Engine({path_, other}, weighted).score(pairs)[0];
  for (std::size_t i = 0; i < both.size(); ++i)
    EXPECT_NEAR(both[i], 0.75 * first[i] + 0.25 * second[i], 1e-5);
  for (const std::vector<double>& wrong : {std::vector<double>{1}, {1, 0}}) {
    weighted.weights = wrong;
    EXPECT_THROW(v1::Engine({path_, other}, weighted), std::runtime_error);
  }
}

TEST_F(EngineTest, ChoosesByMinimumRisk) {
  v1::Engine engine({path_}, settings_);
  const v1::SamplingSettings sampling{.temperature = 0.7, .seed = 4};
  const auto samples = engine.translate({lines_[0]}, {.n_best = 8, .sampling = sampling})[0];
  const auto chosen =
      engine.translate({lines_[0]}, {.n_best = 2, .mbr = "chrf", .candidates = 8, .sampling = sampling})[0];
  ASSERT_EQ(chosen.size(), 2);
  EXPECT_GE(chosen[0].score, chosen[1].score);
  for (const v1::Translation& each : chosen)
    EXPECT_THAT(samples, ::testing::Contains(::testing::Field(&v1::Translation::text, each.text)));
  for (const v1::SearchSettings& wrong :
       {v1::SearchSettings{.candidates = 3}, {.mbr = "ter"}, {.beam = 2, .mbr = "chrf", .candidates = 3}})
    EXPECT_THROW(engine.translate(lines_, wrong), std::runtime_error);
}

TEST_F(EngineTest, TranslatesTextThatIsTooLongInParts) {
  std::string text;
  while (vocabulary_.encode(text).size() < 1500) text += (text.empty() ? "" : " ") + lines_[text.size() % 10];
  v1::Engine engine({path_}, settings_);
  // A translation has 40 tokens, or twice as many if it has two parts.
  const v1::SearchSettings search = {
      .beam = 1, .max_length_factor = 0, .max_length_extra = 40, .min_length = 40, .score_tokens = true};
  const v1::Translation whole = engine.translate({text}, search)[0][0];
  EXPECT_FALSE(whole.truncated);
  v1::SearchSettings truncating = search;
  truncating.too_long = "truncate";
  const v1::Translation cut = engine.translate({text}, truncating)[0][0];
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(whole.tokens.size(), 2 * cut.tokens.size());
  v1::SearchSettings aligned = search;
  aligned.align = true;
  EXPECT_TRUE(engine.translate({text}, aligned)[0][0].truncated) << "the alignment is of the whole";
  EXPECT_FALSE(engine.translate({lines_[0]}, truncating)[0][0].truncated);
  v1::SearchSettings refusing = search;
  refusing.too_long = "refuse";
  EXPECT_THAT([&] { engine.translate({text}, refusing); },
              ThrowsMessage<std::runtime_error>(HasSubstr("but the limit is 1024 tokens; shorten it")));
  refusing.too_long = "other";
  EXPECT_THAT(
      [&] { engine.translate({text}, refusing); },
      ThrowsMessage<std::runtime_error>(HasSubstr("too_long is 'other': it must be one of split, truncate")));
}

TEST_F(EngineTest, DefaultsOfAModelGiveWay) {
  const SavedModel model = testing::text_model(*backend_, vocabulary_);
  const DecodingSettings decoding = {{"beam", "3"}, {"beam_rules", "marian"}, {"max_length_factor", "2"}};
  save_model(path_, write_model_settings(model.settings) + write_decoding_settings(decoding),
             model.vocabularies, model.model->training_weights());
  v1::Engine engine({path_}, settings_);
  const std::vector<std::vector<std::string>> constraints = {{"zzz"}};
  const auto found = engine.translate(lines_, {.constraints = constraints});
  const auto expected = engine.translate(lines_, {.beam_rules = "nmt", .constraints = constraints});
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    EXPECT_EQ(found[i][0].text, expected[i][0].text);
    EXPECT_EQ(found[i][0].score, expected[i][0].score);
    EXPECT_THAT(expected[i][0].notices, IsEmpty());
    EXPECT_THAT(found[i][0].notices,
                ElementsAre("`constraints` overrides the default `beam_rules` marian: searching with nmt"));
  }
  EXPECT_EQ(engine.translate({lines_[0]}, {.n_best = 5})[0].size(), 5);
  EXPECT_THAT([&] { engine.translate(lines_, {.beam_rules = "marian", .constraints = constraints}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("`constraints` need the beam rules of nmt")));
}

TEST_F(EngineTest, TellsWhatIsWrong) {
  EXPECT_THAT([&] { v1::Engine({folder_ / "missing"}, settings_); },
              ThrowsMessage<std::runtime_error>(HasSubstr("missing")));
  EXPECT_THAT([&] { v1::Engine({}, settings_); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no model is given")));
  EXPECT_THAT([&] { v1::Engine({path_}, {.threads = -1}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("threads is -1")));
  v1::Engine engine({path_}, settings_);
  EXPECT_THAT([&] { engine.translate(lines_, {.beam = 2, .n_best = 3}); },
              ThrowsMessage<std::runtime_error>(
                  HasSubstr("`n_best` 3 needs a beam at least as wide, but `beam` is 2")));
  EXPECT_THAT(
      [&] { engine.translate(lines_, {.repetition_penalty = 0}); },
      ThrowsMessage<std::runtime_error>(HasSubstr("repetition_penalty is 0: it must be from 0.01 to 100")));
  EXPECT_THAT([&] { engine.translate(lines_, {.sampling = v1::SamplingSettings{.top_p = 2}}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("top_p is 2")));
}

TEST_F(EngineTest, RefusesWhatDoesNotGoTogether) {
  v1::Engine engine({path_}, settings_);
  const auto complaint = [&](const v1::SearchSettings& settings) {
    return testing::complaint<std::runtime_error>([&] { engine.translate(lines_, settings); });
  };
  EXPECT_THAT(complaint({.beam = 8, .sampling = v1::SamplingSettings{}}),
              HasSubstr("`sample` and `beam` exclude each other: samples are drawn, not searched for"));
  EXPECT_THAT(complaint({.coverage_penalty = 1, .sampling = v1::SamplingSettings{}}),
              HasSubstr("`sample` and `coverage_penalty` exclude each other"));
  EXPECT_THAT(complaint({.diversity = 5}), HasSubstr("`diversity` needs several groups; give `beam_groups`"));
  EXPECT_THAT(complaint({.n_best = 2, .alternatives = true, .mbr = "chrf"}),
              HasSubstr("`mbr` and `alternatives` exclude each other"));
  EXPECT_THAT(complaint({.distinct = true}),
              HasSubstr("`distinct` needs several translations; give `n_best`"));
  EXPECT_THAT(complaint({.alternatives = true}), HasSubstr("`alternatives` needs several translations"));
  EXPECT_THAT(
      complaint({.min_length = 2, .context = 1}),
      HasSubstr("`context` and `min_length` exclude each other: `min_length` is for texts without a"));
  EXPECT_THAT(complaint({.prefixes = std::vector<std::string>(lines_.size()), .context = 1}),
              HasSubstr("`context` and `prefixes` exclude each other"));
  EXPECT_THAT(complaint({.context = 101}), HasSubstr("context is 101: it must be from 0 to 100"));
}

TEST_F(EngineTest, RefusesWhatModelsFromRightToLeftCannotBeAsked) {
  const SavedModel model =
      testing::text_model(*backend_, vocabulary_, {{"target_direction", "right-to-left"}});
  save_model(path_, write_model_settings(model.settings), model.vocabularies,
             model.model->training_weights());
  v1::Engine engine({path_}, settings_);
  const auto complaint = [&](const v1::SearchSettings& settings) {
    return testing::complaint<std::runtime_error>([&] { engine.translate({lines_[0]}, settings); });
  };
  EXPECT_THAT(complaint({.prefixes = {"a"}}), HasSubstr("`prefixes` needs left-to-right models"));
  EXPECT_THAT(complaint({.constraints_of_texts = {{{"a"}}}}), HasSubstr("`constraints` needs"));
  EXPECT_THAT(complaint({.avoid = {"a"}}), HasSubstr("`avoid` needs"));
  EXPECT_THAT(complaint({.n_best = 2, .alternatives = true}), HasSubstr("`alternatives` needs"));
}

/// Writes a small COMET model with formula weights that judges without references.
void write_judge(const std::string& path, const Vocabulary& vocabulary, Backend& backend) {
  const ModelSettings settings =
      ModelRegistry::instance().complete({{"type", "comet"},
                                          {"kind", "referenceless"},
                                          {"d_model", "8"},
                                          {"d_ff", "12"},
                                          {"heads", "2"},
                                          {"encoder_layers", "1"},
                                          {"max_positions", "64"},
                                          {"source_vocabulary", std::to_string(vocabulary.rows())},
                                          {"estimator_sizes", "6"}});
  CometModel model{CometConfig(settings)};
  model.allocate_for_training(backend);
  for (const Parameters::Entry& entry : model.parameters().entries())
    assign(backend, entry, testing::formula_weight(entry, 2));
  backend.weights_changed();
  save_model(path, write_model_settings(settings), {vocabulary, vocabulary}, model.training_weights());
}

TEST_F(EngineTest, EstimatesTheQualityOfSentences) {
  v1::EngineSettings settings = settings_;
  settings.quality_model = folder_ / "judge.safetensors";
  write_judge(settings.quality_model, vocabulary_, *backend_);
  const SavedJudge judge = open_judge(ModelFile(settings.quality_model), *backend_);
  Workers workers(*backend_);
  const CometMetric metric(dynamic_cast<const CometModel&>(*judge.network), judge.vocabulary, workers);
  v1::Engine engine({path_}, settings);

  for (const std::vector<v1::Translation>& best :
       engine.translate({lines_[0], lines_[1]}, {.n_best = 2, .quality = true})) {
    for (const v1::Translation& translation : best) {
      ASSERT_THAT(translation.sentences, SizeIs(1));
      const v1::JudgedSentence& sentence = translation.sentences[0];
      EXPECT_EQ(sentence.translation, translation.text);
      const std::vector<JudgedTexts> texts = {{sentence.translation, sentence.source, {}}};
      EXPECT_NEAR(sentence.quality, metric.estimate(texts)[0], 1e-6);
      EXPECT_EQ(translation.quality, sentence.quality);
    }
  }
  const auto divided = engine.translate({"Ba be. Bi bo.", " "}, {.split_sentences = true, .quality = true});
  ASSERT_THAT(divided[0][0].sentences, SizeIs(2));
  EXPECT_EQ(divided[0][0].sentences[1].source, "Bi bo.");
  EXPECT_NE(divided[0][0].sentences[0].quality, divided[0][0].sentences[1].quality);
  EXPECT_NEAR(divided[0][0].quality.value(),
              (divided[0][0].sentences[0].quality + divided[0][0].sentences[1].quality) / 2, 1e-12);
  EXPECT_EQ(divided[1][0].quality, std::nullopt) << "nothing was translated";
  EXPECT_EQ(engine.translate({lines_[0]})[0][0].quality, std::nullopt) << "no estimate was asked for";
  EXPECT_THROW(engine.translate({lines_[0]}, {.quality = true}, [] { throw Interrupted(2); }), Interrupted);
}

TEST_F(EngineTest, NeedsAModelForEstimates) {
  v1::Engine engine({path_}, settings_);
  EXPECT_THAT([&] { engine.translate({lines_[0]}, {.quality = true}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("name it as `quality_model`")));
}

TEST_F(EngineTest, NamesItsVersion) {
  EXPECT_THAT(v1::version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace nmt
