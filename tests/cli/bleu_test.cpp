#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

class BleuCommand : public ::testing::Test {
 protected:
  /// Returns what the command writes to standard output.
  static std::string output(const Arguments& arguments) {
    ::testing::internal::CaptureStdout();
    const int code = run_bleu(arguments);
    std::fflush(stdout);
    std::string text = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0);
    return text;
  }

  static Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
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
  const std::string spaces(hypothesis_.size() - 6, ' ');
  EXPECT_THAT(output(inputs), AllOf(StartsWith("System" + spaces + "    BLEU\n" + hypothesis_ + "    59.7\n"),
                                    HasSubstr("\nBLEU    nrefs:1|case:mixed|"), Not(HasSubstr(" \n"))));
  EXPECT_EQ(output(with(inputs, {"-b"})), hypothesis_ + "\t59.7\n" + reference_ + "\t100.0\n");
  const auto list = nlohmann::json::parse(output(with(inputs, {"--json"})));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1]["system"], reference_);
  EXPECT_EQ(list[1]["BLEU"], "100.0");
}

TEST_F(BleuCommand, ScoresByEveryMetric) {
  const Arguments inputs = {reference_, "-i", hypothesis_, "--metrics"};
  EXPECT_EQ(output(with(inputs, {"chrf,bleu", "-b"})), "[\n68.7,\n59.7\n]\n");
  EXPECT_EQ(output(with({"-b", "-m", "chrf", "bleu"}, {reference_, "-i", hypothesis_})),
            "[\n68.7,\n59.7\n]\n");
  EXPECT_THAT(output(with(inputs, {"bleu,chrf++,ter"})),
              AllOf(StartsWith("        BLEU|nrefs:1|"), HasSubstr("\n    chrF2++|"),
                    HasSubstr("\nTER|nrefs:1|case:lc|")));
  const auto list = nlohmann::json::parse(output(with(inputs, {"bleu,ter", "--json"})));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1]["name"], "TER");
  EXPECT_THAT([&] { run_bleu(with(inputs, {"bleu,chr"})); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("'chr'"), HasSubstr("did you mean 'chrf'"))));
  EXPECT_THROW(run_bleu(with(inputs, {","})), UsageError);
}

TEST_F(BleuCommand, ScoresSentences) {
  const Arguments inputs = {reference_, "-i", hypothesis_, "--sentence-level"};
  EXPECT_EQ(output(with(inputs, {"-b"})), "42.7\n100.0\n");
  EXPECT_EQ(output(with(inputs, {"-b", "-m", "bleu,ter"})), "42.7\t40.0\n100.0\t0.0\n");
  EXPECT_THAT(output(inputs), StartsWith("BLEU|nrefs:1|case:mixed|eff:yes|"));
  const std::string json = output(with(inputs, {"--json"}));
  EXPECT_EQ(std::ranges::count(json, '\n'), 2);
  EXPECT_EQ(nlohmann::json::parse(json.substr(0, json.find('\n')))["score"], 42.7);
  EXPECT_THROW(run_bleu({reference_, "-i", hypothesis_, reference_, "--sentence-level"}), UsageError);
}

TEST_F(BleuCommand, TellsConfidenceAndSignificance) {
  const Arguments one = {reference_, "-i", hypothesis_}, two = with(one, {"-i", reference_});
  EXPECT_THAT(output(with(one, {"--confidence"})),
              AllOf(HasSubstr("nrefs:1|bs:1000|seed:12345|case"), HasSubstr(" ± ")));
  EXPECT_THAT(output(with(two, {"--paired-bs", "--trials", "100"})),
              AllOf(HasSubstr("|bs:100|"), HasSubstr(" p = "), HasSubstr("BLEU (μ ± 95% CI)")));
  const auto list = nlohmann::json::parse(output(with(two, {"--paired-ar", "--json"})));
  EXPECT_TRUE(list[0]["BLEU"]["p_value"].is_null());
  EXPECT_TRUE(list[1]["BLEU"]["p_value"].is_number());
  EXPECT_THAT([&] { run_bleu(with(one, {"--paired-bs"})); },
              ThrowsMessage<UsageError>(HasSubstr("at least two")));
  EXPECT_THROW(run_bleu(with(two, {"--paired-bs", "--paired-ar"})), UsageError);
  EXPECT_THROW(run_bleu(with(two, {"--paired-bs", "-b"})), UsageError);
  EXPECT_THROW(run_bleu(with(one, {"--sentence-level", "--confidence"})), UsageError);
  EXPECT_THROW(run_bleu(with(one, {"--trials", "10"})), UsageError);
}

TEST_F(BleuCommand, SmoothsAndTokenizesAsAsked) {
  const Arguments inputs = {reference_, "-i", hypothesis_, "-w", "2"};
  EXPECT_THAT(
      output(with(inputs, {"--smooth-method", "floor", "--smooth-value", "0.5", "--tokenize", "intl"})),
      HasSubstr("|tok:intl|smooth:floor[0.50]|"));
  EXPECT_THAT(output(with(inputs, {"--lowercase", "-m", "bleu,chrf"})),
              AllOf(HasSubstr("BLEU|nrefs:1|case:lc|"), HasSubstr("chrF2|nrefs:1|case:lc|")));
  EXPECT_THAT(
      [&] {
        run_bleu(with(inputs, {"--smooth-value", "0.5"}));
      },
      ThrowsMessage<UsageError>(HasSubstr("takes no value")));
  EXPECT_THROW(run_bleu(with(inputs, {"--tokenize", "14a"})), UsageError);
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
  EXPECT_THAT([] { run_bleu({}); }, ThrowsMessage<UsageError>(HasSubstr("reference is missing; usage")));
  EXPECT_THAT(
      [&] {
        run_bleu({"-i", hypothesis_, reference_});
      },
      ThrowsMessage<UsageError>(HasSubstr("-i takes all files after it")));
  EXPECT_THROW(run_bleu({reference_, "-i"}), UsageError);
}

TEST_F(BleuCommand, RefusesContradictions) {
  EXPECT_THROW(run_bleu({reference_, "-i", hypothesis_, "--json", "--score-only"}), UsageError);
  for (const char* stream : {"-", "/dev/stdin"}) {
    EXPECT_THAT([&] { run_bleu({stream}); },
                ThrowsMessage<UsageError>(HasSubstr(
                    "standard input can be one text only, but reference and the hypothesis are to come")));
  }
}

}  // namespace
}  // namespace nmt
