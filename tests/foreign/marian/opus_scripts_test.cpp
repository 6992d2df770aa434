#include "foreign/marian/opus_scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kPreprocess = R"(#!/bin/bash
# USAGE preprocess.sh langid bpecodes < input > output
if [ `hostname -d` == "cluster" ]; then
  TOKENIZER=/apps/moses/tokenizer
fi
${TOKENIZER}/replace-unicode-punctuation.perl |
${TOKENIZER}/remove-non-printing-char.perl |
${TOKENIZER}/normalize-punctuation.perl -l $1 |
${TOKENIZER}/tokenizer.perl -a -threads ${THREADS} -l $1 |
sed 's/  */ /g;s/^ *//g;s/ *$//g' |
python3 ${SNMTPATH}/apply_bpe.py -c $2
)";
constexpr const char* kPostprocess =
    "sed 's/\\@\\@ //g;s/ \\@\\@//g;s/ \\@\\-\\@ /-/g' |\n${TOKENIZER}/detokenizer.perl -l $1\n";
constexpr const char* kReadme = "# opus.zip\n\n* source language(s): en\n* target language(s): de_AT\n";

/// A package with scripts like OPUS-MT's.
class OpusScripts : public ::testing::Test {
 protected:
  void SetUp() override {
    write("preprocess.sh", kPreprocess);
    write("postprocess.sh", kPostprocess);
    write("README.md", kReadme);
    write("source.bpe", "a b\n");
    write("target.bpe", "c d\n");
    write("source.tcmodel", "");
  }
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  void remove(const std::string& name) const { std::filesystem::remove(folder_ / name); }
  std::optional<OpusBpe> read() const { return opus_bpe_in(*Package::open(folder_ / "")); }
  void expect_error(const std::string& part) const {
    EXPECT_THAT([this] { read(); }, ThrowsMessage<Error>(HasSubstr(part)));
  }

  TemporaryFolder folder_;
};

TEST_F(OpusScripts, SayWhatHappensToText) {
  const OpusBpe bpe = read().value();
  EXPECT_EQ(bpe.source.moses, (MosesFacts{.language = "en"}));
  EXPECT_EQ(bpe.target.moses, (MosesFacts{.language = "de"})) << "without the country";
  EXPECT_EQ(bpe.source.codes.text(), "a b\n");
  EXPECT_EQ(bpe.target.codes.text(), "c d\n");
}

TEST_F(OpusScripts, MayTruecase) {
  write("preprocess.sh",
        "tokenizer.perl -l fr -no-escape | truecase.perl -model source.tcmodel | subword-nmt apply-bpe -c x");
  write("postprocess.sh", "sed -r 's/(@@ )|(@@ ?$)//g' | detruecase.perl | detokenizer.perl -q -l it");
  write("source.tcmodel", "a (1/1)\n");
  const OpusBpe bpe = read().value();
  EXPECT_EQ(
      bpe.source.moses,
      (MosesFacts{
          .language = "fr", .normalizes = false, .hyphens = false, .escapes = false, .detruecases = true}));
  EXPECT_EQ(bpe.target.moses.language, "it");
  EXPECT_TRUE(bpe.target.moses.detruecases);
  EXPECT_EQ(bpe.source.truecaser->text(), "a (1/1)\n");
}

TEST_F(OpusScripts, AreTheUsualOnesWhereThereAreNone) {
  remove("preprocess.sh");
  remove("postprocess.sh");
  EXPECT_EQ(read()->source.moses, (MosesFacts{.language = "en"}));
}

TEST_F(OpusScripts, LeaveLanguagesToTheNameOfThePackage) {
  remove("README.md");
  expect_error("does not say what its source language is");
  const std::string named = folder_ / "opus-mt-en-de";
  std::filesystem::create_directory(named);
  for (const char* name : {"source.bpe", "target.bpe"})
    std::filesystem::rename(folder_ / name, named + "/" + name);
  EXPECT_EQ(opus_bpe_in(*Package::open(named))->target.moses.language, "de");
}

TEST_F(OpusScripts, AreRefusedByNameWhereTheyDoSomethingElse) {
  write("preprocess.sh", std::string(kPreprocess) + " | ${TOKENIZER}/lowercase.perl");
  expect_error("preprocess.sh' cannot be opened: text goes through 'lowercase.perl'");
  write("preprocess.sh", "tokenizer.perl -penn -l en | apply_bpe.py -c x");
  expect_error("it calls tokenizer.perl with '-penn'");
  write("preprocess.sh", "tokenizer.perl -l en | apply_bpe.py -c x --vocabulary v");
  expect_error("it calls apply_bpe.py with '--vocabulary'");
  write("preprocess.sh", "tokenizer.perl -l en | sed 's/a/b/' | apply_bpe.py -c x");
  expect_error("text goes through sed 's/a/b/'");
  write("preprocess.sh", "spm_encode --model source.spm");
  expect_error("text goes through 'spm_encode'");
  write("preprocess.sh", "normalize-punctuation.perl | tokenizer.perl -l en | apply_bpe.py -c x");
  expect_error("does not call replace-unicode-punctuation.perl");
}

TEST_F(OpusScripts, AreRefusedForSeveralLanguages) {
  write("README.md", "* source language(s): da sv\n* target language(s): en\n");
  expect_error("it has 2 source languages");
}

TEST_F(OpusScripts, NeedTheCodesOfBothSides) {
  remove("target.bpe");
  expect_error("'target.bpe' is missing");
  remove("source.bpe");
  EXPECT_FALSE(read());
}

TEST(ShellCommands, AreReadWithQuotesAndComments) {
  EXPECT_THAT(commands_in("a 'b c' \"d|e\"f | g \\\n h # i\nj;k&&l"),
              ElementsAre(ElementsAre("a", "b c", "d|ef"), ElementsAre("g", "h"), ElementsAre("j"),
                          ElementsAre("k"), ElementsAre("l")));
}

}  // namespace
}  // namespace nmt
