#include "data/text/n_best_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(NBestEntryTest, HasAnIndexAndAText) {
  const NBestEntry entry("12 ||| ein  Hund ||| F0= -1 ||| -2");
  EXPECT_EQ(entry.index(), 12);
  EXPECT_EQ(entry.text(), "ein  Hund");
  EXPECT_EQ(NBestEntry("0 ||| Hund").text(), "Hund");
  EXPECT_EQ(NBestEntry("2 |||  ||| 0.000000").text(), "");
  EXPECT_EQ(NBestEntry("2 |||").text(), "");
}

TEST(NBestEntryTest, BarsInsideOfAWordAreText) {
  EXPECT_EQ(NBestEntry("0 ||| a|||b |||| c ||| -1").text(), "a|||b |||| c");
}

TEST(NBestEntryTest, BarsOfATextAreEscaped) {
  EXPECT_EQ(with_escaped_bars("||| a ||| b|||c ||| ||| |||"),
            "&#124;&#124;&#124; a &#124;&#124;&#124; b|||c &#124;&#124;&#124; &#124;&#124;&#124; "
            "&#124;&#124;&#124;");
  for (const char* text : {"", "a b", "|||", "a ||| b", "||| |||", "a|||b |||| c", "a&#124;b"}) {
    const NBestEntry entry("3 ||| " + with_escaped_bars(text) + " ||| F= 1 ||| -2");
    EXPECT_EQ(entry.text(), text);
    EXPECT_EQ(entry.with_total(-1), "3 ||| " + with_escaped_bars(text) + " ||| F= 1 ||| -1.000000");
  }
}

TEST(NBestEntryTest, AScoreBecomesAFeature) {
  const auto with = [](const char* line) { return NBestEntry(line).with_feature("F", -1.5); };
  EXPECT_EQ(with("0 ||| a b"), "0 ||| a b ||| F= -1.500000");
  EXPECT_EQ(with("0 ||| a b ||| -2.25"), "0 ||| a b ||| F= -1.500000 ||| -2.25");
  EXPECT_EQ(with("0 ||| a b ||| G= 1 2 ||| -2.25"), "0 ||| a b ||| G= 1 2 F= -1.500000 ||| -2.25");
  EXPECT_EQ(with("0 ||| a b ||| G= 1"), "0 ||| a b ||| G= 1 F= -1.500000");
  EXPECT_EQ(with("0 ||| a b ||| ||| -2.25"), "0 ||| a b ||| F= -1.500000 ||| -2.25");
  EXPECT_EQ(with("2 |||  ||| 0.5 ||| 0-0"), "2 |||  ||| F= -1.500000 ||| 0.5 ||| 0-0");
}

TEST(NBestEntryTest, AFeatureIsAddedToWhatWasAdded) {
  const NBestEntry once(NBestEntry("0 ||| a ||| -1").with_feature("F", 1));
  EXPECT_EQ(once.with_feature("G", 2), "0 ||| a ||| F= 1.000000 G= 2.000000 ||| -1");
}

TEST(NBestEntryTest, AFeatureTakesThePlaceOfTheOneOfItsName) {
  const auto with = [](const char* line) { return NBestEntry(line).with_feature("F", -1.5); };
  EXPECT_EQ(with("0 ||| a ||| F= 1 ||| -2"), "0 ||| a ||| F= -1.500000 ||| -2");
  EXPECT_EQ(with("0 ||| a ||| E= 1 F= 1 G= 2 3"), "0 ||| a ||| E= 1 F= -1.500000 G= 2 3");
  EXPECT_EQ(with("0 ||| a ||| E=1 F=-1e-5  G=2 ||| 1"), "0 ||| a ||| E=1 F= -1.500000  G=2 ||| 1");
  EXPECT_EQ(with("0 ||| a ||| FF= 1 F= "), "0 ||| a ||| FF= 1 F= -1.500000");
  EXPECT_EQ(with(with("0 ||| a ||| G= 7 ||| -2").c_str()), "0 ||| a ||| G= 7 F= -1.500000 ||| -2");
  EXPECT_THAT([&] { with("0 ||| a ||| F= 1 G= 2 F= 3"); },
              ThrowsMessage<Error>(HasSubstr("two features are called F;")));
  EXPECT_THAT([&] { with("0 ||| a ||| F= 1 2"); },
              ThrowsMessage<Error>(HasSubstr("the feature F has 2 values;")));
}

TEST(NBestEntryTest, ATotalStandsBehindFeatures) {
  const auto with = [](const char* line) { return NBestEntry(line).with_total(-1.5); };
  EXPECT_EQ(with("0 ||| a b ||| F= 1"), "0 ||| a b ||| F= 1 ||| -1.500000");
  EXPECT_EQ(with("0 ||| a b ||| F= 1 G= 2 ||| -2.25"), "0 ||| a b ||| F= 1 G= 2 ||| -1.500000");
  EXPECT_EQ(with("2 |||  ||| F= 1 ||| -2.25 ||| 0-0"), "2 |||  ||| F= 1 ||| -1.500000 ||| 0-0");
  EXPECT_EQ(with("0 ||| a ||| F= 1 ||| 0-0 ||| -2.25"), "0 ||| a ||| F= 1 ||| -1.500000 ||| 0-0 ||| -2.25")
      << "an alignment is not a total";
}

TEST(NBestEntryTest, OtherLinesAreRefused) {
  for (const char* line : {"", "a b c", "0 || a", "0 |||a", "|||0 a"}) {
    EXPECT_THAT([&] { NBestEntry{line}; }, ThrowsMessage<Error>(HasSubstr("no bars"))) << line;
  }
  for (const char* line :
       {"||| a", "a ||| b", "-1 ||| b", "1x ||| b", "0.5 ||| b", "99999999999999999999 ||| b"}) {
    EXPECT_THAT([&] { NBestEntry{line}; }, ThrowsMessage<Error>(HasSubstr("no index"))) << line;
  }
}

class NBestReaderTest : public ::testing::Test {
 protected:
  /// Returns lines `source/target` of all entries.
  std::string read(const std::string& source, const std::string& list) {
    NBestReader reader(folder_.write("source", source), folder_.write("list", list));
    NBestEntry entry;
    std::string all;
    for (LinePair pair; reader.next(entry, pair);) all += pair.source + '/' + pair.target + '\n';
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(NBestReaderTest, PutsEachEntryBesideItsLine) {
  EXPECT_EQ(read("a\nb\nc\nd\n", "0 ||| x\n0 ||| y\r\n2 ||| z ||| 1\n"), "a/x\na/y\nc/z\n");
  EXPECT_EQ(read("a\n", ""), "");
}

TEST_F(NBestReaderTest, IndicesRiseAndStayInsideTheText) {
  EXPECT_THAT([&] { read("a\nb\n", "1 ||| x\n0 ||| y\n"); },
              ThrowsMessage<Error>(HasSubstr("list', line 2: index 0 after 1")));
  EXPECT_THAT([&] { read("a\nb\n", "0 ||| x\n2 ||| y\n"); }, ThrowsMessage<Error>(HasSubstr("has 2 lines")));
  EXPECT_THAT([&] { read("a\n", "0 ||| x\nx\n"); },
              ThrowsMessage<Error>(HasSubstr("list', line 2: no bars")));
}

}  // namespace
}  // namespace nmt
