#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

class BleuCommand : public testing::Test {
 protected:
  // What the command writes to standard output.
  static std::string output(const Arguments& arguments) {
    testing::internal::CaptureStdout();
    const int code = run_bleu(arguments);
    std::fflush(stdout);
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    return text;
  }

  const TemporaryFolder folder_;
  const std::string reference_ = folder_.write("reference", "The house is small .\nIt is old.\n");
  const std::string other_ = folder_.write("other", "The home is small.\nIt is very old.\n");
  const std::string hypothesis_ = folder_.write("hypothesis", "The house is little.\nIt is old.\n");
  const std::string short_ = folder_.write("short", "The house is little.\n");
};

TEST_F(BleuCommand, PrintsTheLineWithOurSignature) {
  EXPECT_EQ(output({reference_, "-i", hypothesis_}),
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:nmt-" NMT_VERSION
            " = 59.7 88.9/71.4/60.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 9 ref_len = 9)\n");
}

TEST_F(BleuCommand, WidthConcernsTheScoreOnly) {
  EXPECT_EQ(output({reference_, "-i", hypothesis_, "--score-only", "--width", "4"}), "59.6949\n");
  EXPECT_THAT(output({reference_, "-i", hypothesis_, "--width", "3"}), HasSubstr(" = 59.695 88.9/71.4/"));
}

TEST_F(BleuCommand, TakesSeveralReferences) {
  EXPECT_THAT(output({reference_, other_, "-i", reference_}),
              AllOf(HasSubstr("nrefs:2|"), HasSubstr(" = 100.0 ")));
}

TEST_F(BleuCommand, WritesAJsonObject) {
  const auto object = nlohmann::json::parse(output({reference_, "-i", hypothesis_, "--json"}));
  EXPECT_EQ(object["name"], "BLEU");
  EXPECT_EQ(object["score"], 59.7);
  EXPECT_EQ(object["nrefs"], "1");
  EXPECT_EQ(object["version"], "nmt-" NMT_VERSION);
}

TEST_F(BleuCommand, ListsSeveralSystems) {
  const Arguments inputs = {reference_, "-i", hypothesis_, reference_};
  EXPECT_THAT(output(inputs),
              AllOf(StartsWith(hypothesis_ + "\tBLEU|"), HasSubstr("\n" + reference_ + "\tBLEU|")));
  Arguments json = inputs;
  json.emplace_back("--json");
  const auto list = nlohmann::json::parse(output(json));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1]["system"], reference_);
  EXPECT_EQ(list[1]["BLEU"], "100.0");
}

TEST_F(BleuCommand, TellsWhichFilesDifferInLength) {
  EXPECT_THAT(
      [&] {
        run_bleu({reference_, short_, "-i", hypothesis_});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr(short_ + "' has 1 line,"), HasSubstr("' has 2"))));
}

TEST_F(BleuCommand, RefusesWhatIsMissing) {
  EXPECT_THAT(
      [&] {
        run_bleu({reference_, "-i", folder_ / "none"});
      },
      ThrowsMessage<Error>(HasSubstr("none")));
  EXPECT_THAT(
      [&] {
        run_bleu({reference_, "-i", folder_.write("empty", "")});
      },
      ThrowsMessage<Error>(HasSubstr("empty")));
  EXPECT_THROW(run_bleu({}), UsageError);
  EXPECT_THROW(run_bleu({reference_, "-i"}), UsageError);
}

TEST_F(BleuCommand, RefusesContradictions) {
  EXPECT_THROW(run_bleu({reference_, "-i", hypothesis_, "--json", "--score-only"}), UsageError);
  EXPECT_THAT([] { run_bleu({"-"}); },
              ThrowsMessage<UsageError>(HasSubstr("standard input can be one text only")));
}

}  // namespace
}  // namespace nmt::cli
