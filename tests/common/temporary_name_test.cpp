#include "common/temporary_name.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "common/temporary_folder.h"

namespace nmt {
namespace {

TEST(TemporaryName, RemovesItsFileAtTheEnd) {
  const TemporaryFolder folder;
  { const TemporaryName name(folder.write("a", "x")); }
  EXPECT_EQ(folder.count(), 0);
}

TEST(TemporaryName, LeavesWhatWasReleased) {
  const TemporaryFolder folder;
  {
    TemporaryName name(folder.write("a", "x"));
    name.release();
    EXPECT_FALSE(name);
  }
  EXPECT_EQ(folder.count(), 1);
}

TEST(TemporaryName, MovesWithItsFile) {
  const TemporaryFolder folder;
  TemporaryName last;
  {
    TemporaryName name(folder.write("a", "x"));
    last = std::move(name);
  }
  EXPECT_EQ(folder.count(), 1);
  EXPECT_EQ(last.path(), folder / "a");
}

TEST(TemporaryName, TakesAnyNumber) {
  const TemporaryFolder folder;
  {
    std::vector<TemporaryName> names;
    for (int i = 0; i < 200; ++i) names.emplace_back(folder.write(std::to_string(i), "x"));
    EXPECT_EQ(folder.count(), 200);
  }
  EXPECT_EQ(folder.count(), 0);
}

}  // namespace
}  // namespace nmt
