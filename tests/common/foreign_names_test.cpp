#include "common/text/foreign_names.h"

#include <gtest/gtest.h>

#include <set>

namespace nmt {
namespace {

const std::vector<std::string> kDashed = {"beam", "batch-tokens", "learning-rate", "precision", "no-unk"};

TEST(ForeignNames, AreKnownWhereTheSettingIsThere) {
  EXPECT_EQ(did_you_mean_setting("beam-size", kDashed, "--"), ", did you mean '--beam'?");
  EXPECT_EQ(did_you_mean_setting("num_beams", kDashed), ", did you mean 'beam'?");
  EXPECT_EQ(did_you_mean_setting("-b", kDashed, "--"), ", did you mean '--beam'?");
  EXPECT_EQ(did_you_mean_setting("beam_size", {"beam"}), ", did you mean 'beam'?");
  EXPECT_EQ(did_you_mean_setting("max-epoch", kDashed), "") << "there is no such setting";
}

TEST(ForeignNames, SayWhereTheMeaningDiffers) {
  EXPECT_EQ(did_you_mean_setting("batch-size", kDashed, "--"),
            ", did you mean '--batch-tokens' (tokens, not sentences)?");
  EXPECT_EQ(did_you_mean_setting("batch_size", {"batch_tokens"}),
            ", did you mean 'batch_tokens' (tokens, not sentences)?");
  EXPECT_EQ(did_you_mean_setting("int8", kDashed, "--"), ", did you mean '--precision int8'?");
}

TEST(ForeignNames, LeaveOtherNamesToTheSpelling) {
  EXPECT_EQ(did_you_mean_setting("beem", kDashed, "--"), ", did you mean '--beam'?");
  EXPECT_EQ(did_you_mean_setting("unk", kDashed, "--"), ", did you mean '--no-unk'?");
  EXPECT_EQ(did_you_mean_setting("zebra", kDashed), "");
}

TEST(ForeignNames, HaveNoRowTwice) {
  std::set<std::pair<std::string_view, std::string_view>> rows;
  for (const auto& [typed, setting, note] : foreign_names())
    EXPECT_TRUE(rows.emplace(typed, setting).second) << typed;
}

TEST(ForeignValues, HaveTheSameMeaning) {
  EXPECT_EQ(foreign_value("float16"), "f16");
  EXPECT_EQ(foreign_value("fp32"), "f32");
  EXPECT_EQ(foreign_value("gpu"), "cuda");
  EXPECT_EQ(foreign_value("silu"), "swish");
  EXPECT_EQ(foreign_value("inverse-square-root"), "inverse-sqrt");
  EXPECT_EQ(foreign_value("f16"), "");
}

}  // namespace
}  // namespace nmt
