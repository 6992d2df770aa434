#include "cli/systems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class SystemsTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(SystemsTest, AFileIsASystemAndKeepsTabsAndCarriageReturns) {
  const std::vector<std::string> paths = {folder_.write("a", "x\ty\r\nz"), folder_.write("b", "\n")};
  const std::vector<System> systems = read_systems(paths);
  ASSERT_EQ(systems.size(), 2U);
  EXPECT_EQ(systems[0].name, paths[0]);
  EXPECT_THAT(systems[0].lines, ElementsAre("x\ty\r", "z"));
  EXPECT_THAT(systems[1].lines, ElementsAre(""));
}

TEST_F(SystemsTest, EveryKindOfLineEndEndsALineOfAStream) {
  const std::vector<System> systems = read_columns(folder_.write("a", "1\r\n2\r3\n\n5\r\r\n7 \t\r"));
  ASSERT_EQ(systems.size(), 1U);
  EXPECT_THAT(systems[0].lines, ElementsAre("1", "2", "3", "", "5", "", "7"));
  EXPECT_THAT(systems[0].name, HasSubstr("a"));
}

TEST_F(SystemsTest, ColumnsAreSystems) {
  const std::vector<System> systems = read_columns(folder_.write("a", "a b\tc\n\td\n"));
  ASSERT_EQ(systems.size(), 2U);
  EXPECT_EQ(systems[1].name, "System 2");
  EXPECT_THAT(systems[0].lines, ElementsAre("a b", ""));
  EXPECT_THAT(systems[1].lines, ElementsAre("c", "d"));
}

TEST_F(SystemsTest, NothingHoldsNoSystem) {
  EXPECT_THAT(read_columns(folder_.write("a", "")), IsEmpty());
}

TEST_F(SystemsTest, ALineWithOtherColumnsIsAnError) {
  const std::string path = folder_.write("a", "a\nb\nc\td\n");
  EXPECT_THAT([&] { read_columns(path); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("line 3: 2 columns"), HasSubstr("line 1 has 1"), HasSubstr("-i"))));
}

}  // namespace
}  // namespace nmt::cli
