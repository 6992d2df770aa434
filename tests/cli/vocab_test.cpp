#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "common/error.h"
#include "common/temporary_folder.h"
#include "data/generated_text.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class VocabTest : public ::testing::Test {
 protected:
  VocabTest() : output_(folder_ / "out.spm") {
    const GeneratedText::Pair text = GeneratedText(1).text(300);
    source_ = folder_.write("source", text.source);
    target_ = folder_.write("target", text.target);
  }

  /// Runs the command with both texts and these further arguments; returns its stderr.
  std::string run(Arguments arguments) {
    arguments.insert(arguments.end(), {"-i", source_, "-i", target_, "-o", output_});
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_vocab(arguments), 0);
    return ::testing::internal::GetCapturedStderr();
  }

  TemporaryFolder folder_;
  std::string source_, target_, output_;
};

TEST_F(VocabTest, WritesAVocabularyAndNothingElse) {
  const std::string messages = run({"--size", "60"});
  EXPECT_EQ(Vocabulary::load(output_).size(), 60);
  EXPECT_THAT(messages, AllOf(HasSubstr("60 pieces from 600 lines"), HasSubstr("pieces per line")));
  EXPECT_EQ(folder_.count(), 3);
}

TEST_F(VocabTest, PassesItsSettingsOn) {
  run({"--size", "320", "--type", "bpe", "--byte-fallback", "--user-symbols", "<a>,<b>", "--normalization",
       "nmt_nfkc_cf"});
  const Vocabulary vocabulary = Vocabulary::load(output_);
  EXPECT_EQ(vocabulary.encode("THE DOG"), vocabulary.encode("the dog"));
  EXPECT_EQ(vocabulary.encode("the<a><b>").size(), vocabulary.encode("the").size() + 2);
  EXPECT_EQ(vocabulary.decode(vocabulary.encode("\xE6\xBC\xA2")), "\xE6\xBC\xA2");
}

TEST_F(VocabTest, WarnsWhenTheTextYieldsFewerPieces) {
  EXPECT_THAT(run({"--size", "5000", "--type", "word"}), HasSubstr("warning: the vocabulary has only "));
  EXPECT_THAT(run({"--size", "500", "--type", "char", "--overwrite"}),
              Not(HasSubstr("warning: the vocabulary has only ")))
      << "characters are as many as there are";
}

TEST_F(VocabTest, AFailureLeavesTheOldVocabulary) {
  folder_.write("out.spm", "old");
  EXPECT_THAT([&] { run({"--size", "4"}); }, ThrowsMessage<Error>(HasSubstr("or more")));
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(folder_.read("out.spm"), "old");
  EXPECT_EQ(folder_.count(), 3);
}

TEST_F(VocabTest, ReplacesAnotherVocabularyOnlyIfAsked) {
  run({"--size", "60"});
  run({"--size", "60"});
  const std::string first = folder_.read("out.spm");
  EXPECT_THAT([&] { run({"--size", "61"}); }, ThrowsMessage<Error>(HasSubstr("is another vocabulary")));
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(folder_.read("out.spm"), first);
  run({"--size", "61", "--overwrite"});
  EXPECT_EQ(Vocabulary::load(output_).size(), 61);
  folder_.write("out.spm", "");
  run({"--size", "60"});
  EXPECT_EQ(folder_.read("out.spm"), first);
}

TEST_F(VocabTest, RefusesWhatCannotBe) {
  EXPECT_THAT([&] { run_vocab({"-o", output_}); }, ThrowsMessage<UsageError>(HasSubstr("input")));
  EXPECT_THAT([&] { run_vocab({"-i", source_}); }, ThrowsMessage<UsageError>(HasSubstr("output")));
  for (const Arguments& wrong :
       {Arguments{"--type", "bpee"}, Arguments{"--size", "0"}, Arguments{"--coverage", "2"},
        Arguments{"--normalization", "nfc"}, Arguments{"--user-symbols", "a,,b"}}) {
    Arguments arguments = wrong;
    arguments.insert(arguments.end(), {"-i", source_, "-o", output_});
    EXPECT_THROW(run_vocab(arguments), UsageError) << wrong[0];
  }
  EXPECT_THAT(
      [&] {
        run_vocab({"-i", source_, "-o", folder_ / "no/where"});
      },
      ThrowsMessage<Error>(HasSubstr("cannot write '" + (folder_ / "no/where") + "'")));
  EXPECT_EQ(folder_.count(), 2);
}

TEST_F(VocabTest, LanguagesGetPieces) {
  run({"--size", "60", "--languages", "de,pt-BR", "--user-symbols", "<BT>"});
  const Vocabulary vocabulary = Vocabulary::load(output_);
  EXPECT_THAT(vocabulary.languages(), ::testing::ElementsAre("de", "pt-BR"));
  EXPECT_TRUE(vocabulary.find("<BT>"));
  EXPECT_THAT(
      [&] {
        run({"--languages", "de,fr,de"});
      },
      ThrowsMessage<UsageError>(HasSubstr("'de' is given twice")));
  ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(
      [&] {
        run({"--languages", "pt-BR", "--normalization", "nmt_nfkc_cf"});
      },
      ThrowsMessage<UsageError>(HasSubstr("'pt-BR' has capital letters")));
  ::testing::internal::GetCapturedStderr();
  for (const char* bad : {"de,,fr", "-", "1st", ">>de<<", "de fr", "d\u00E9"}) {
    EXPECT_THAT(
        [&] {
          run({"--languages", bad});
        },
        ThrowsMessage<UsageError>(HasSubstr("is not a language code")))
        << bad;
    ::testing::internal::GetCapturedStderr();
  }
}

}  // namespace
}  // namespace nmt
