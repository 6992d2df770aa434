#include "common/text/spelling.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(Spelling, NamesTheNearest) {
  EXPECT_EQ(did_you_mean("beem", {"steps", "beam", "seed"}), ", did you mean 'beam'?");
  EXPECT_EQ(did_you_mean("stesp", {"stops", "steps"}), ", did you mean 'steps'?")
      << "a transposition counts one";
  EXPECT_EQ(did_you_mean("labelsmoothing", {"label-smoothing"}), ", did you mean 'label-smoothing'?");
}

TEST(Spelling, DashesAndUnderscoresAreEqual) {
  EXPECT_EQ(did_you_mean("d-model", {"d_modes", "d_model"}), ", did you mean 'd_model'?");
}

TEST(Spelling, NamesTheOnlyOneWithSuchAPart) {
  const std::vector<std::string> names = {"transformer-tiny", "transformer-base", "lstm-base"};
  EXPECT_EQ(nearest("tiny", names), "transformer-tiny");
  EXPECT_EQ(nearest("base", names), "") << "which of both?";
  EXPECT_EQ(nearest("form", names), "") << "no whole part";
  EXPECT_EQ(nearest("", names), "");
}

TEST(Spelling, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("zebra", {"steps", "beam"}), "");
  EXPECT_EQ(did_you_mean("", {"steps"}), "");
  EXPECT_EQ(did_you_mean("beam", {}), "");
}

TEST(Spelling, QuotedTextStaysOnOneLine) {
  EXPECT_EQ(quoted("two\nlines\tand ü"), "'two lines and ü'");
  EXPECT_EQ(quoted("a\xFF"), "'a\uFFFD'");
  EXPECT_EQ(quoted(std::string(1000, 'a')), "'" + std::string(80, 'a') + "...'");
}

TEST(Spelling, JoinsWithASeparator) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
}

TEST(Spelling, ListsAreSplitAtCommas) {
  EXPECT_EQ(split_at_commas("a,b c,,d"), (std::vector<std::string>{"a", "b c", "", "d"}));
  EXPECT_EQ(split_at_commas(""), std::vector<std::string>());
}

}  // namespace
}  // namespace nmt
