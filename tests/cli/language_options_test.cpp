// Tests --source-language and --target-language of the commands that open models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/model_options.h"
#include "cli/program.h"
#include "common/complaint.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "translate/scoring/scorer.h"
#include "translate/service/translator.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::text_model;

class LanguageOptionsTest : public ::testing::Test {
 protected:
  LanguageOptionsTest() {
    GeneratedText text(1);
    for (int i = 0; i < 3; ++i) {
      const GeneratedText::Pair pair = text.next();
      source_ += pair.source + "\n";
      target_ += pair.target + "\n";
    }
  }

  /// Returns a list of words with two languages, whose tokens are put before the source and at the start of
  /// the translation.
  static Vocabulary vocabulary() {
    WordList words = {"</s>", "<unk>", "<s>", "__de__", "__en__"};
    const std::string text = GeneratedText(1).text(20).source;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find_first_of(" \n", begin);
      if (const std::string word = text.substr(begin, end - begin); !id_in(words, word))
        words.push_back(word);
      begin = end + 1;
    }
    return make_word_vocabulary(
        words,
        {.begin = 2,
         .languages = {{{"de", 3}, {"en", 4}}, LanguageUse::Source::own_before, LanguageUse::Target::first}},
        "words");
  }
  std::string write(const Vocabulary& of_model) {
    SavedModel model = text_model(*backend_, of_model);
    save_model(folder_ / "model", write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
    return folder_ / "model";
  }
  /// Runs a command on the model and returns the lines that it prints.
  std::vector<std::string> run(int (*command)(const Arguments&), const Arguments& more) {
    Arguments arguments = {"--device", "reference", "--quiet", "--model", folder_ / "model"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ::testing::internal::CaptureStdout();
    const std::string complaint = testing::complaint([&] { command(arguments); });
    std::istringstream output(::testing::internal::GetCapturedStdout());
    if (!complaint.empty()) return {complaint};
    std::vector<std::string> lines;
    for (std::string line; std::getline(output, line);) lines.push_back(line);
    return lines;
  }
  Arguments score(const Arguments& more) {
    Arguments arguments = {"--source", folder_.write("source", source_), "--target",
                           folder_.write("target", target_)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = open_backend({.device = "reference"});
  std::string source_, target_;
};

TEST_F(LanguageOptionsTest, ModelsAreToldLanguages) {
  SavedModel model = open_model(write(vocabulary()), *backend_);
  const auto german =
      run(run_score, score({"--source-language", "en", "--target-language", "de", "--per-token"}));
  ASSERT_THAT(german, SizeIs(3));
  use_languages(model, {"en", "de"});
  const auto& [source, target] = model.vocabularies;
  const std::string first_source = source_.substr(0, source_.find('\n')),
                    first_target = target_.substr(0, target_.find('\n'));
  const Example example{0, source.encode(first_source), target.encode(first_target)};
  EXPECT_EQ(example.source.front(), 4);
  EXPECT_EQ(example.target.front(), 3);
  Workers workers(*backend_);
  const auto scores = nmt::score(*model.model, workers.whole(), {example}, model.special_tokens)[0];
  EXPECT_THAT(german[0], HasSubstr(fmt::format("{:.6f}", fmt::join(scores, " "))));
  EXPECT_NE(run(run_score, score({"--source-language", "en", "--target-language", "en", "--per-token"})),
            german);
}

TEST_F(LanguageOptionsTest, EveryCommandThatOpensModelsHasThem) {
  write(vocabulary());
  const Arguments languages = {"--source-language", "en", "--target-language", "de"};
  Arguments translate = {"-i", folder_.write("source", source_)};
  translate.insert(translate.end(), languages.begin(), languages.end());
  EXPECT_THAT(run(run_translate, translate), SizeIs(3));
  Arguments attention = score(languages);
  attention.insert(attention.end(), {"--format", "tsv"});
  EXPECT_THAT(run(run_attention, attention), ::testing::Contains(HasSubstr("__en__")));
  Arguments shortlist = score(languages);
  shortlist.insert(shortlist.end(), {"-o", "-"});
  EXPECT_THAT(run(run_shortlist, shortlist), ::testing::Contains(HasSubstr("__en__")));
}

TEST_F(LanguageOptionsTest, TranslationsBeginWithTheirs) {
  SavedModel model = open_model(write(vocabulary()), *backend_);
  use_languages(model, {"en", "de"});
  Workers workers(*backend_);
  Translator translator(model, workers, {.search = {.beam = 2, .n_best = 2}});
  const std::string line = source_.substr(0, source_.find('\n'));
  const NBest found = translator.translate_n_best({line})[0];
  const auto expected =
      search(*model.model, workers.whole(), {{0, model.vocabularies.source.encode(line), {}}},
             model.special_tokens, {.beam = 2, .n_best = 2}, {.first_tokens = {3}})[0];
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    EXPECT_EQ(expected[n].ids[0], 3);
    EXPECT_EQ(found[n].score, expected[n].score);
    EXPECT_EQ(found[n].text, model.vocabularies.target.decode(expected[n].ids));
  }
  EXPECT_EQ(translator.translate({""})[0].text, "") << "an empty line stays one";
  EXPECT_EQ(translator.counts().source_tokens, std::ssize(model.vocabularies.source.encode(line)));
}

TEST_F(LanguageOptionsTest, TellOfLanguagesThatAreMissingOrNone) {
  write(vocabulary());
  EXPECT_EQ(run(run_score, score({}))[0],
            "the model has several languages; choose one with `source_language`: de, en");
  EXPECT_EQ(run(run_score, score({"--source-language", "en"}))[0],
            "the model has several languages; choose one with `target_language`: de, en");
  EXPECT_EQ(run(run_score, score({"--source-language", "en", "--target-language", "dee"}))[0],
            "`target_language` 'dee' is not a language of the model, did you mean 'de'?");
  write(testing::text_vocabulary());
  EXPECT_EQ(run(run_score, score({"--target-language", "de"}))[0],
            "`target_language` 'de': the vocabulary has no language tokens; leave it out");
  EXPECT_EQ(run(run_score, score({"--source-language", "de"}))[0],
            "`source_language` 'de': the vocabulary has no language tokens; leave it out");
}

TEST_F(LanguageOptionsTest, InfoListsThem) {
  const std::string model = write(vocabulary());
  ::testing::internal::CaptureStdout();
  run_info({model});
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("languages  de en\n"));
}

}  // namespace
}  // namespace nmt
