// Tests nmt translate and nmt score, run as functions on files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "cli/program.h"
#include "common/error.h"
#include "translate/scoring/scorer.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using nmt::testing::text_model;
using nmt::testing::text_vocabulary;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

class ModelCommandsTest : public ::testing::Test {
 protected:
  void SetUp() override { write_model("model.safetensors", {}); }

  void write_model(const std::string& name, const nlohmann::json& overrides) {
    write_model(name, overrides, vocabulary_);
  }
  void write_model(const std::string& name, const nlohmann::json& overrides, const Vocabulary& vocabulary) {
    write_model(name, text_model(*backend_, vocabulary, overrides));
  }
  void write_model(const std::string& name, const SavedModel& model) {
    save_model(folder_ / name, write_model_settings(model.settings) + write_decoding_settings(model.decoding),
               model.vocabularies, model.model->training_weights());
  }
  /// Sets the model for the following commands.
  void use_model_with(const DecodingSettings& decoding) {
    SavedModel model = text_model(*backend_, vocabulary_);
    model.decoding = decoding;
    model_name_ = "decoding.safetensors";
    write_model(model_name_, model);
  }

  /// Runs a command on the model and returns the lines that it prints.
  std::vector<std::string> run(int (*command)(const Arguments&), Arguments arguments) {
    for (const char* common : {"--device", "reference", "--quiet", "--model"}) arguments.emplace_back(common);
    arguments.push_back(folder_ / model_name_);
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(command(arguments), 0);
    return split(::testing::internal::GetCapturedStdout(), '\n');
  }

  std::vector<std::string> score(const std::string& source, const std::string& target, Arguments more = {}) {
    for (const std::string& argument : {std::string("--source"), folder_.write("source", source),
                                        std::string("--target"), folder_.write("target", target)}) {
      more.push_back(argument);
    }
    return run(run_score, more);
  }

  std::string error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      ::testing::internal::GetCapturedStdout();
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  Vocabulary vocabulary_ = text_vocabulary();
  std::string model_name_ = "model.safetensors";
};

constexpr const char* kSource = "the dog runs.\nthe old man sees a small bridge.\n\n";
constexpr const char* kTarget = "der hund rennt.\n\nder baum.\n";

TEST_F(ModelCommandsTest, ScorePrintsTheSumAndEachToken) {
  const SavedModel model = open_model(folder_ / "model.safetensors", *backend_);
  Workers workers(*backend_);
  const auto lines = score(kSource, kTarget, {"--per-token"});
  ASSERT_EQ(lines.size(), 3U);
  const auto sources = split(kSource, '\n'), targets = split(kTarget, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto expected = nmt::score(*model.model, workers.whole(),
                                     {{0, vocabulary_.encode(sources[i]), vocabulary_.encode(targets[i])}},
                                     model.special_tokens)[0];
    const std::string tokens = fmt::format("{:.6f}", fmt::join(expected, " "));
    const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
    EXPECT_EQ(lines[i], fmt::format("{:.6f}\t{}", sum, tokens));
  }
  EXPECT_EQ(split(lines[1], ' ').size(), 1U) << "of an empty target EOS is scored";
}

TEST_F(ModelCommandsTest, ScoreWithoutPerTokenPrintsTheSum) {
  const auto lines = score(kSource, kTarget), detailed = score(kSource, kTarget, {"--per-token"});
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(lines[i], split(detailed[i], '\t')[0]);
  EXPECT_EQ(score(kSource, kTarget, {"--batch-tokens", "1"}), lines);
}

TEST_F(ModelCommandsTest, PerplexityIsOverAllTokens) {
  double sum = 0;
  for (const std::string& line : score(kSource, kTarget)) sum += std::stod(line);
  const auto tokens = static_cast<double>(3 + vocabulary_.encode("der hund rennt.").size() +
                                          vocabulary_.encode("der baum.").size());
  const auto lines = score(kSource, kTarget, {"--summary", "perplexity"});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NEAR(std::stod(lines[0]), std::exp(-sum / tokens), 1e-5);
  EXPECT_THAT(error_of([&] { score("", "", {"--summary", "perplexity"}); }), HasSubstr("has no lines"));
  const auto all = score(kSource, kTarget, {"--summary", "all"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], fmt::format("tokens\t{}", tokens));
  EXPECT_NEAR(std::stod(split(all[1], '\t')[1]), -sum / tokens, 1e-5);
  EXPECT_EQ(all[2], "perplexity\t" + lines[0]);
  EXPECT_EQ("cross-entropy\t" + score(kSource, kTarget, {"--summary", "cross-entropy"})[0], all[1]);
  EXPECT_EQ("tokens\t" + score(kSource, kTarget, {"--summary", "tokens"})[0], all[0]);
}

TEST_F(ModelCommandsTest, TheLengthPenaltyDividesScores) {
  const auto sums = score(kSource, kTarget, {"--per-token"}),
             scores = score(kSource, kTarget, {"--length-penalty", "0.6", "--per-token"});
  for (std::size_t i = 0; i < 3; ++i) {
    const auto length = static_cast<double>(split(split(sums[i], '\t')[1], ' ').size());
    EXPECT_NEAR(std::stod(scores[i]), std::stod(sums[i]) / std::pow((5 + length) / 6, 0.6), 2e-6);
    EXPECT_EQ(split(scores[i], '\t')[1], split(sums[i], '\t')[1]) << "tokens are not divided";
  }
}

TEST_F(ModelCommandsTest, AnEnsembleScoresWithTheMean) {
  write_model("deeper.safetensors", {{"decoder_layers", 2}});
  const auto one = score(kSource, kTarget),
             both = score(kSource, kTarget, {"-m", folder_ / "deeper.safetensors"});
  model_name_ = "deeper.safetensors";
  const auto other = score(kSource, kTarget);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::stod(both[i]), (std::stod(one[i]) + std::stod(other[i])) / 2, 2e-6);
  }
}

TEST_F(ModelCommandsTest, ScoreReadsColumns) {
  EXPECT_EQ(run(run_score, {"--tsv", folder_.write("tsv", "the dog runs.\tder hund rennt.\n")}),
            score("the dog runs.\n", "der hund rennt.\n"));
}

TEST_F(ModelCommandsTest, ScoresBecomeFeaturesOfNBestLists) {
  const auto scores = score("dog\ndog\nman\n", "hund\nder hund\nbaum\n");
  const auto rescore = [&](const std::string& list, Arguments more = {}) {
    more.insert(more.end(), {"--source", folder_.write("source", "dog\nbridge\nman\n"), "--n-best",
                             folder_.write("list", list)});
    return run(run_score, more);
  };
  EXPECT_EQ(rescore("0 ||| hund ||| -0.5\n0 ||| der hund\n2 ||| baum ||| F0= 1 ||| 2\n"),
            (std::vector<std::string>{"0 ||| hund ||| Score= " + scores[0] + " ||| -0.5",
                                      "0 ||| der hund ||| Score= " + scores[1],
                                      "2 ||| baum ||| F0= 1 Score= " + scores[2] + " ||| 2"}));
  EXPECT_EQ(rescore("0 ||| hund\n", {"--feature", "Back"})[0], "0 ||| hund ||| Back= " + scores[0]);
  EXPECT_TRUE(rescore("").empty());
  EXPECT_THAT(error_of([&] { rescore("3 ||| hund\n"); }), HasSubstr("list', line 1: index 3, but"));
}

TEST_F(ModelCommandsTest, ScoreRefusesWhatExcludesEachOther) {
  for (const Arguments& wrong :
       {Arguments{"--n-best", "list", "--target", "t"}, Arguments{"--n-best", "list", "--per-token"},
        Arguments{"--n-best", "list", "--summary", "all"}, Arguments{"--n-best", "list", "--feature", "a b"},
        Arguments{"--target", "t", "--feature", "F"},
        Arguments{"--target", "t", "--summary", "all", "--length-penalty", "1"},
        Arguments{"--n-best", "-", "--source", "-"}, Arguments{"--tsv", "t"}, Arguments{}}) {
    Arguments arguments = {"-m", "model", "--source", "s"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_THROW(run_score(arguments), UsageError) << fmt::format("{}", fmt::join(wrong, " "));
  }
}

TEST_F(ModelCommandsTest, SidesOfDifferentLengthAreRefusedWithBothCounts) {
  EXPECT_THAT(error_of([&] { score("a\nb\nc\n", "a\n"); }), HasSubstr("source' has 3 lines, but"));
  EXPECT_THAT(error_of([&] { score("a\n", "a\nb\n"); }), HasSubstr("target' has 2;"));
}

TEST_F(ModelCommandsTest, ScoreTruncatesLongSides) {
  const std::string source = "dog\nthe dog sees the green tree and the house\n", target = "hund\nder hund\n";
  const auto whole = score(source, target, {"--per-token"}),
             truncated_source = score(source, target, {"--per-token", "--max-length", "8"}),
             truncated_target = score(target, source, {"--per-token", "--max-length", "9"});
  EXPECT_EQ(truncated_source[0], whole[0]);
  EXPECT_NE(truncated_source[1], whole[1]);
  EXPECT_EQ(std::ranges::count(truncated_target[1], ' '), 9) << "of the tokens and of the end";
}

TEST_F(ModelCommandsTest, PerTokenAndSummaryExcludeEachOther) {
  EXPECT_THROW(
      run_score({"-m", "m", "--source", "s", "--target", "t", "--per-token", "--summary", "perplexity"}),
      UsageError);
  EXPECT_THROW(run_score({"-m", "m", "--source", "-", "--target", "-"}), UsageError);
}

TEST_F(ModelCommandsTest, TranslatePrintsScoresBeforeTranslations) {
  const std::string input = folder_.write("source", kSource);
  const SavedModel model = open_model(folder_ / "model.safetensors", *backend_);
  Workers workers(*backend_);
  const auto expected = Translator(model, workers, {}).translate(split(kSource, '\n'));
  const auto lines = run(run_translate, {"--input", input}),
             scored = run(run_translate, {"-i", input, "--scores"});
  ASSERT_EQ(lines.size(), 3U);
  ASSERT_EQ(scored.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lines[i], expected[i].text);
    EXPECT_EQ(scored[i], fmt::format("{:.6f}\t{}", expected[i].score, expected[i].text));
  }
  EXPECT_EQ(scored[2], "0.000000\t");
}

TEST_F(ModelCommandsTest, TranslatePrintsNBestLists) {
  const std::string input = folder_.write("source", kSource);
  const SavedModel model = open_model(folder_ / "model.safetensors", *backend_);
  Workers workers(*backend_);
  const auto expected =
      Translator(model, workers, {.search = {.n_best = 3}}).translate_n_best(split(kSource, '\n'));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Translation& t : expected[i]) {
      lines.push_back(fmt::format("{} ||| {} ||| {:.6f}", i, t.text, t.score));
    }
  }
  EXPECT_EQ(lines.size(), 7U);
  EXPECT_EQ(run(run_translate, {"-i", input, "--n-best", "3"}), lines);
  EXPECT_EQ(lines[6], "2 |||  ||| 0.000000");
  EXPECT_EQ(run(run_translate, {"-i", input, "--n-best", "3", "--flush"}), lines);
  EXPECT_EQ(run(run_translate, {"-i", input, "--n-best", "1"}).size(), 3U);
}

TEST_F(ModelCommandsTest, WhereFewerTranslationsArePossibleTheListIsShorter) {
  const auto lines = run(run_translate, {"-i", folder_.write("source", "dog\n"), "--beam", "100", "--n-best",
                                         "100", "--max-length-factor", "0", "--max-length-extra", "0"});
  EXPECT_EQ(lines.size(), 2U) << "of no tokens: with EOS, and cut off before it";
}

TEST_F(ModelCommandsTest, TranslateWritesAFile) {
  const std::string input = folder_.write("source", kSource), output = folder_ / "target";
  const auto lines = run(run_translate, {"-i", input});
  EXPECT_TRUE(run(run_translate, {"-i", input, "-o", output}).empty());
  EXPECT_EQ(split(folder_.read("target"), '\n'), lines);
  EXPECT_THAT(error_of([&] {
                run(run_translate, {"-i", input, "-o", folder_ / "missing/target"});
              }),
              HasSubstr("missing/target"));
}

TEST_F(ModelCommandsTest, AnEnsembleNeedsEqualVocabularies) {
  const std::string input = folder_.write("source", kSource);
  write_model("deeper.safetensors", {{"decoder_layers", 2}});
  write_model("foreign.safetensors", {}, text_vocabulary(false, "bpe"));
  const auto scores = [&](const Arguments& more) {
    Arguments arguments = {"-i", input, "--scores"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(run_translate, arguments);
  };
  const auto alone = scores({}), both = scores({"-m", folder_ / "deeper.safetensors"});
  EXPECT_EQ(both.size(), alone.size());
  EXPECT_NE(both, alone);
  EXPECT_EQ(scores({"-m", folder_ / "model.safetensors"}), alone);
  EXPECT_THAT(error_of([&] {
                scores({"-m", folder_ / "foreign.safetensors"});
              }),
              AllOf(HasSubstr("foreign.safetensors' have different source vocabularies"),
                    HasSubstr("model.safetensors' and")));
}

TEST_F(ModelCommandsTest, TranslateTakesSearchSettings) {
  const std::string input = folder_.write("source", kSource);
  const auto scores = [&](Arguments more) {
    more.insert(more.end(), {"-i", input, "--scores"});
    return run(run_translate, more);
  };
  const auto usual = scores({});
  EXPECT_NE(scores({"--beam", "1"}), usual);
  EXPECT_NE(scores({"--length-penalty", "0"}), usual);
  for (const std::string& line : scores({"--max-length-factor", "0", "--max-length-extra", "0"})) {
    EXPECT_EQ(split(line, '\t').size(), 1U) << line;
  }
  EXPECT_EQ(scores({"--batch-tokens", "1"}), usual);
  EXPECT_NE(scores({"--length-normalization", "power"}), usual);
  EXPECT_NE(scores({"--word-penalty", "0.5"}), usual);
  EXPECT_NE(scores({"--beam-rules", "ctranslate2", "--beam", "1"}), usual);
  EXPECT_THAT(error_of([&] {
                run(run_translate, {"-i", input, "--n-best", "5", "--beam", "4"});
              }),
              HasSubstr("--n-best 5 needs a beam at least as wide, but --beam is 4"));
  EXPECT_EQ(run(run_translate, {"-i", input, "--n-best", "5"}),
            run(run_translate, {"-i", input, "--n-best", "5", "--beam", "5"}));
}

TEST_F(ModelCommandsTest, SettingsThatDoNotGoTogetherAreRefused) {
  const std::string input = folder_.write("source", kSource);
  const auto complaint = [&](Arguments more) {
    more.insert(more.end(), {"-i", input});
    return error_of([&] { run(run_translate, more); });
  };
  EXPECT_EQ(
      complaint({"--sample", "--length-penalty", "3"}),
      "--sample and --length-penalty exclude each other: samples are drawn, not searched for; leave one "
      "out");
  EXPECT_THAT(complaint({"--diversity", "5"}),
              HasSubstr("--diversity needs several groups; give --beam-groups"));
  EXPECT_THAT(complaint({"--diversity", "5", "--beam-groups", "1"}),
              HasSubstr("--diversity needs several groups"));
  EXPECT_THAT(complaint({"--mbr", "chrf", "--alternatives", "--n-best", "2"}),
              HasSubstr("--mbr and --alternatives exclude each other"));
  write_model("model.safetensors", {{"target_direction", "right-to-left"}});
  EXPECT_THAT(complaint({"--prefix", input}), HasSubstr("--prefix needs left-to-right models, but"));
  EXPECT_THAT(complaint({"--no-sample", "--no-alternatives", "--beam", "4", "--n-best", "5"}),
              HasSubstr("needs a beam"));
}

TEST_F(ModelCommandsTest, AModelHasDefaultsOfTheSearch) {
  const std::string input = folder_.write("source", kSource);
  const auto n_best = [&](Arguments more) {
    more.insert(more.end(), {"-i", input, "--n-best", "3"});
    return run(run_translate, more);
  };
  const Arguments same = {"--beam", "7",       "--length-penalty", "1", "--length-normalization",
                          "power",  "--no-unk"};
  const auto expected = n_best(same);
  use_model_with(
      {{"beam", "7"}, {"length_penalty", "1"}, {"length_normalization", "power"}, {"unk", "false"}});
  EXPECT_EQ(n_best({}), expected);
  EXPECT_NE(n_best({"--length-penalty", "0"}), expected) << "what is given counts";
  const std::string config = folder_.write("config.yml", "length_normalization: wu\n");
  EXPECT_EQ(n_best({"--config", config}), n_best({"--length-normalization", "wu"})) << "wherever it is given";
  EXPECT_NE(n_best({"--config", config}), expected);
  use_model_with({{"beam", "2"}});
  EXPECT_EQ(n_best({}), n_best({"--beam", "3"})) << "which gives way";
  EXPECT_EQ(n_best({"--beam", "3"}).size(), 7U) << "one of an empty line";
}

TEST_F(ModelCommandsTest, BadDefaultsOfAModelAreAnErrorThatNamesTheFile) {
  const std::string input = folder_.write("source", kSource);
  use_model_with({{"beem", "7"}});
  for (const Arguments& arguments : {Arguments{"-i", input}, {"-i", input, "--beam", "1"}}) {
    EXPECT_THAT(error_of([&] { run(run_translate, arguments); }),
                HasSubstr("decoding.safetensors', decoding: unknown setting 'beem', did you mean 'beam'?"));
  }
}

TEST_F(ModelCommandsTest, InfoShowsTheDefaultsOfAModel) {
  use_model_with({{"beam", "12"}, {"beam_rules", "marian"}});
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_info({folder_ / model_name_}), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("decoding"), HasSubstr("marian"), HasSubstr("beam 12")));
  use_model_with({{"beam", "x"}});
  ::testing::internal::CaptureStdout();
  EXPECT_THAT(error_of([&] { run_info({folder_ / model_name_}); }), HasSubstr("decoding: beam 'x'"));
}

TEST_F(ModelCommandsTest, ForbiddenPiecesAreNotOutput) {
  const std::string input = folder_.write("source", kSource), unknown = "\u2047";
  model_name_ = "unknowing.safetensors";
  write_model(model_name_, text_model(*backend_, vocabulary_, {}, 1000, vocabulary_.unknown()));
  EXPECT_THAT(run(run_translate, {"-i", input})[0], HasSubstr(unknown));
  const auto lines = run(run_translate, {"-i", input, "--no-unk"});
  EXPECT_THAT(lines, ::testing::Each(::testing::Not(HasSubstr(unknown))));
  EXPECT_THAT(lines, ::testing::Contains(::testing::Not("")));
  const auto forbid = [&](const std::string& pieces) {
    return run(run_translate, {"-i", input, "--forbid", folder_.write("pieces", pieces)});
  };
  EXPECT_EQ(forbid("<unk>\n"), lines);
  EXPECT_THAT(error_of([&] { forbid("<unk>\nno such piece\n"); }),
              HasSubstr("pieces', line 2: 'no' is not a piece of the target vocabulary"));
  EXPECT_THAT(error_of([&] { forbid("</s>\n"); }), HasSubstr("line 1: '</s>' ends translations"));
}

TEST_F(ModelCommandsTest, ValuesOutOfRangeAreWrongUsage) {
  for (const Arguments& wrong :
       {Arguments{"--beam", "0"}, Arguments{"--beam", "x"}, Arguments{"--batch-tokens", "0"},
        Arguments{"--length-penalty", "-1"}, Arguments{"--max-length-extra", "-1"},
        Arguments{"--max-length-factor", "-1"}, Arguments{"--beem", "3"}, Arguments{"--n-best", "0"},
        Arguments{"--n-best", "2", "--scores"}, Arguments{"--flush", "-o", "file"}}) {
    Arguments arguments = {"-m", "model"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_THROW(run_translate(arguments), UsageError) << wrong[0];
  }
  EXPECT_THROW(run_translate({}), UsageError) << "the model is missing";
}

}  // namespace
}  // namespace nmt
