#include <gtest/gtest.h>

#include "common/text/spelling.h"

namespace nmt {
namespace {

TEST(LikelyNames, AreTheNearestOneOrAFewWithSuchAPart) {
  const std::vector<std::string> names = {"transformer-tiny", "student-tiny", "lm-base", "a-x", "b-x"};
  EXPECT_EQ(did_you_mean_any("studnt-tiny", names), ", did you mean 'student-tiny'?");
  EXPECT_EQ(did_you_mean_any("base", names), ", did you mean 'lm-base'?");
  EXPECT_EQ(did_you_mean_any("tiny", names), ", did you mean 'transformer-tiny' or 'student-tiny'?");
  EXPECT_EQ(did_you_mean_any("tiny", names, "--"),
            ", did you mean '--transformer-tiny' or '--student-tiny'?");
  EXPECT_EQ(did_you_mean_any("part", {"a-part", "b-part", "c-part"}),
            ", did you mean 'a-part', 'b-part' or 'c-part'?");
}

TEST(LikelyNames, AreNoneWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean_any("part", {"a-part", "b-part", "c-part", "d-part", "e-part"}), "") << "too many";
  EXPECT_EQ(did_you_mean_any("x", {"a-x", "b-x"}), "") << "a letter is not a part";
  EXPECT_EQ(did_you_mean_any("zebra", {"steps", "beam"}), "");
}

}  // namespace
}  // namespace nmt
