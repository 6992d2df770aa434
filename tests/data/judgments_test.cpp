#include "data/text/judgments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class JudgmentsTest : public ::testing::Test {
 protected:
  Judgments read(const std::string& text, bool has_reference = true) {
    return read_judgments(folder_.write("judgments", text), has_reference);
  }
  void refuses(const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<Error>(HasSubstr(message))) << text;
  }

  TemporaryFolder folder_;
};

void expect(const RatedText& text, const std::string& source, const std::string& translation,
            const std::string& reference, double score) {
  EXPECT_EQ(text.source, source);
  EXPECT_EQ(text.translation, translation);
  EXPECT_EQ(text.reference, reference);
  EXPECT_EQ(text.score, score);
}

TEST_F(JudgmentsTest, ColumnsAreFoundByName) {
  const Judgments judgments = read("system\tscore\tref\tsrc\tmt\nA\t-0.5\tr \"1\", 2\ts\tm\nB\t1e2\t\t\t\n");
  ASSERT_EQ(judgments.texts.size(), 2U);
  expect(judgments.texts[0], "s", "m", "r \"1\", 2", -0.5);
  expect(judgments.texts[1], "", "", "", 100);
}

TEST_F(JudgmentsTest, CommasSeparateColumnsWithQuotes) {
  const Judgments judgments =
      read("src,mt,ref,score\r\na,\"b, \"\"c\"\"\",\"two\nlines\",0.25\r\nd,e \"f\",,1\n");
  ASSERT_EQ(judgments.texts.size(), 2U);
  expect(judgments.texts[0], "a", "b, \"c\"", "two\nlines", 0.25);
  expect(judgments.texts[1], "d", "e \"f\"", "", 1);
}

TEST_F(JudgmentsTest, ReferencesMayBeLeftOut) {
  expect(read("src\tmt\tscore\na\tb\t1\n", false).texts[0], "a", "b", "", 1);
  const Judgments with = read("src\tmt\tref\tscore\na\tb\tc\t1\n", false);
  expect(with.texts[0], "a", "b", "", 1);
}

TEST_F(JudgmentsTest, TheFingerprintIsThatOfTextsAndScores) {
  const std::string header = "src\tmt\tref\tscore\n";
  const auto fingerprint = read(header + "a\tb\tc\t1\n").fingerprint;
  EXPECT_EQ(read("ref\tmt\tsrc\tscore\nc\tb\ta\t1\n").fingerprint, fingerprint);
  EXPECT_NE(read(header + "a\tb\tc\t2\n").fingerprint, fingerprint);
  EXPECT_NE(read(header + "a\tb\td\t1\n").fingerprint, fingerprint);
}

TEST_F(JudgmentsTest, DamagedTablesAreRefused) {
  refuses("", "is empty");
  refuses("src\tmt\tscore\n",
          "line 1: missing column 'ref'; the first line must name the columns src, mt, ref, score");
  refuses("src\tmt\tref\tscore\n", "has no judgments after its first line");
  refuses("src\tmt\tref\tscore\na\tb\t1\n", "line 2: 3 columns instead of 4");
  refuses("src\tmt\tref\tscore\na\tb\tc\tgood\n", "line 2: the score is 'good', not a number");
  refuses("src\tmt\tref\tscore\na\tb\tc\tinf\n", "the score is 'inf', not a number");
  refuses("src,mt,ref,score\na,b,c,1\na,\"b,c,1\n", "line 3: a quotation mark is not closed");
}

}  // namespace
}  // namespace nmt
