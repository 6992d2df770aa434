#include "pictures/program.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(ProgramTest, TakesInputAndGivesOutput) {
  const std::string much(1 << 20, 'x');
  const ProgramResult result = run_program({"cat"}, much);
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.output == much);
  EXPECT_EQ(result.errors, "");
}

TEST(ProgramTest, TellsHowItFailed) {
  const ProgramResult result = run_program({"sh", "-c", "echo first >&2; echo second >&2; exit 3"}, "");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.errors, "first");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, "").status, 128 + 9);
}

TEST(ProgramTest, TellsThatThereIsNone) {
  EXPECT_FALSE(run_program({"no-such-program"}, "").found);
}

}  // namespace
}  // namespace nmt
