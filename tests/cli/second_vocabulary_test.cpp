// Tests another kind of vocabulary than SentencePiece: subcommands pack, train, average, translate and score
// with it without special code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/program.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "data/packed/packed_corpus.h"
#include "data/word_list.h"
#include "nn/saved/saved_model.h"

namespace nmt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class SecondVocabularyTest : public ::testing::Test {
 protected:
  SecondVocabularyTest() {
    source_ = folder_.write("source", text_.source);
    target_ = folder_.write("target", text_.target);
    source_words_ = folder_.write("source.words", testing::word_list_of(text_.source));
    target_words_ = folder_.write("target.words", testing::word_list_of(text_.target, kUnused));
  }
  ~SecondVocabularyTest() override { program_log().set_level(LogLevel::info); }

  /// Returns the lines that a command prints.
  std::vector<std::string> run(int (*command)(const Arguments&), Arguments arguments) {
    arguments.emplace_back("--quiet");
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(command(arguments), 0);
    std::istringstream stream(::testing::internal::GetCapturedStdout());
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  /// Trains a run of a few updates; `text` includes the vocabularies.
  void train(const Arguments& text, const std::string& name) {
    Arguments arguments = {"-o",
                           folder_ / name,
                           "--preset",
                           "transformer-tiny",
                           "--steps",
                           "4",
                           "--save-every",
                           "2",
                           "--warmup",
                           "1",
                           "--d-model",
                           "16",
                           "--tied-embeddings",
                           "none",
                           "--decoder-start",
                           "zero"};
    arguments.insert(arguments.end(), text.begin(), text.end());
    run(run_train, arguments);
  }
  Arguments raw_text() const {
    return {"--source",       source_,       "--target",       target_,
            "--source-vocab", source_words_, "--target-vocab", target_words_};
  }

  static constexpr int kUnused = 5;
  const GeneratedText::Pair text_ = GeneratedText(1).text(200);
  TemporaryFolder folder_;
  std::string source_, target_, source_words_, target_words_;
};

TEST_F(SecondVocabularyTest, IsPackedAndTrainedFromTextAndFromAPackedCorpus) {
  const std::string packed = folder_ / "packed.nmtc";
  Arguments arguments = raw_text();
  arguments.insert(arguments.end(), {"-o", packed});
  run(run_batch, arguments);
  EXPECT_EQ(PackedCorpus(packed).target_vocabulary(), Vocabulary::load(target_words_));
  train(raw_text(), "text");
  train({"--train", packed}, "packed");
  EXPECT_EQ(ModelFile(folder_ / "text/last.safetensors").find("output.weight")->shape,
            ModelFile(folder_ / "packed/last.safetensors").find("output.weight")->shape);
}

TEST_F(SecondVocabularyTest, IsAveragedTranslatedAndScored) {
  train(raw_text(), "run");
  const std::string model = folder_ / "mean.safetensors";
  run(run_average, {folder_ / "run", "--last", "2", "-o", model});
  const auto lines = run(run_translate, {"-m", model, "-i", source_, "--alignment", "hard"});
  ASSERT_THAT(lines, SizeIs(200));
  const Vocabulary target = Vocabulary::load(target_words_);
  for (const std::string& line : lines) {
    const std::string text = line.substr(0, line.find(" |||"));
    EXPECT_EQ(target.decode(target.encode(text)), text);
  }
  EXPECT_THAT(run(run_score, {"-m", model, "--source", source_, "--target", target_, "--alignment", "hard"}),
              SizeIs(200));
  EXPECT_THAT(run(run_info, {model, "--json"}),
              Contains(HasSubstr("\"pieces\": " + std::to_string(target.size()))));
}

TEST_F(SecondVocabularyTest, ATableHasTheRowsThatItsVocabularyNames) {
  train(raw_text(), "run");
  const std::string path = folder_ / "run/last.safetensors";
  const ModelFile file(path);
  const std::int64_t rows = Vocabulary::load(target_words_).rows();
  EXPECT_EQ(file.find("output.weight")->shape[0], rows);
  const Vocabulary source = Vocabulary::load(source_words_),
                   target = Vocabulary::from_bytes(testing::word_list_of(text_.target), "without more rows");
  EXPECT_THAT(
      [&] {
        check_vocabulary_sizes({{"source_vocabulary", std::to_string(source.size())},
                                {"target_vocabulary", std::to_string(rows)}},
                               {source, target}, "m");
      },
      ThrowsMessage<Error>(HasSubstr("m: target_vocabulary is " + std::to_string(rows) +
                                     ", but the vocabulary has " + std::to_string(target.size()) +
                                     " pieces")));
}

}  // namespace
}  // namespace nmt
