#include <gtest/gtest.h>

#include "cli/options/search_options.h"
#include "common/error.h"

namespace nmt {
namespace {

// Two source words and two target words, and the ends.
const Alignment kAlignment = {2, 2, {0.25, 0.5, 0.25, 0.625, 0.25, 0.125, 0.00001, 0, 0.99999}};

TEST(AlignmentOptions, FormsOfAnAlignment) {
  EXPECT_EQ(format(kAlignment, "hard"), "0-1 1-0");
  EXPECT_EQ(format(kAlignment, "1"), "0-1 1-0") << "a threshold of 1 means hard";
  EXPECT_EQ(format(kAlignment, "0.2"), "0-0 0-1 1-0 1-1");
  EXPECT_EQ(format(kAlignment, "0.9"), "");
  EXPECT_EQ(format(kAlignment, "soft"), "0.25,0.5,0.25 0.625,0.25,0.125 1e-05,0,0.99999");
}

TEST(AlignmentOptions, AnEmptyLineHasItsEndAlone) {
  EXPECT_EQ(format({}, "soft"), "1");
  for (const char* form : {"hard", "1", "0.2"}) EXPECT_EQ(format({}, form), "") << form;
}

std::optional<std::string> parse(const std::vector<std::string>& arguments) {
  AlignmentOptions alignment;
  bool is_quiet = false;
  Options options("nmt test", "", "", "");
  add_alignment_options(options, alignment);
  options.flag("quiet,q", is_quiet, "");
  options.parse(arguments);
  check(options, alignment);
  return alignment.form;
}

TEST(AlignmentOptions, MeanHardWithoutAValue) {
  EXPECT_EQ(parse({"--alignment"}), "hard");
  EXPECT_EQ(parse({"--alignment", "--quiet"}), "hard");
  EXPECT_EQ(parse({"--alignment", "-q"}), "hard");
  EXPECT_EQ(parse({"--alignment", "--alignment-layer", "1"}), "hard");
  EXPECT_EQ(parse({"--quiet", "--alignment", "soft"}), "soft");
  EXPECT_EQ(parse({"--alignment=soft"}), "soft");
}

TEST(AlignmentOptions, RefuseWhatIsNoForm) {
  for (const char* form : {"hard", "soft", "1", "0.5", "1e-3"})
    EXPECT_NO_THROW(parse({"--alignment", form})) << form;
  for (const char* form : {"Hard", "", "0", "-0.5", "1.5", "nan", "0.5x", "yes"}) {
    EXPECT_THROW(parse({"--alignment", form}), UsageError) << form;
  }
}

TEST(AlignmentOptions, ALayerOrHeadNeedsAnAlignment) {
  EXPECT_THROW(parse({"--alignment-layer", "1"}), UsageError);
  EXPECT_THROW(parse({"--alignment-head", "1"}), UsageError);
  EXPECT_NO_THROW(parse({"--alignment", "hard", "--alignment-layer", "1", "--alignment-head", "1"}));
}

}  // namespace
}  // namespace nmt
