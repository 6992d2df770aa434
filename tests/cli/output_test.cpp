#include "cli/output.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(Output, FormatsAreKnownByTheNameOfTheFile) {
  const std::vector<std::string> formats = {"svg", "png"};
  EXPECT_EQ(format_by_name("map.png", formats), "png");
  EXPECT_EQ(format_by_name("folder.png/map.svg.gz", formats), "svg");
  EXPECT_EQ(format_by_name("map.png.zst", formats), "png");
  for (const char* unknown : {"-", "map", "png", "map.jpeg", "map.gz"}) {
    EXPECT_EQ(format_by_name(unknown, formats), "svg") << unknown;
  }
}

}  // namespace
}  // namespace nmt
