#include "cli/commands/facts.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(FactsTest, AreLinesWithNamesAndValues) {
  const Facts facts = {{"file", "a"},
                       {"bytes", 30'400'000},
                       {"weights", {{"all", 12}, {"in_decoder", 5}, {"more_bytes", 1'500'000}}},
                       {"loss", 1.5},
                       {"names", {"x", "y"}}};
  EXPECT_EQ(facts_text(facts),
            "file   a\n"
            "size   30.4 MB\n"
            "weights\n"
            "  all         12\n"
            "  in decoder  5\n"
            "  more        1.5 MB\n"
            "loss   1.5000\n"
            "names  x y\n");
}

TEST(FactsTest, TextOfFilesStaysOnItsLine) {
  EXPECT_EQ(facts_text({{"a", "x\ny\x1B[31m\xFF"}}), "a  x y [31m\uFFFD\n");
}

TEST(FactsTest, JsonHoldsNumbersAsTheyAre) {
  const Facts facts = {{"bytes", 30'400'000}, {"text", "\xFF"}};
  EXPECT_EQ(Facts::parse(facts_json(facts)).at("bytes"), 30'400'000);
  EXPECT_TRUE(facts_json(facts).ends_with("}\n"));
}

}  // namespace
}  // namespace nmt
