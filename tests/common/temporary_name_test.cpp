#include "common/io/temporary_name.h"

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

TEST(TemporaryName, RemovesItsFolderWithManyFiles) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  for (int i = 0; i < 500; ++i) folder.write("a/a file with a long name, number " + std::to_string(i), "x");
  { const TemporaryName name(folder / "a"); }
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

TEST(TemporaryName, KeepsWhatIsWorthIt) {
  const TemporaryFolder folder;
  const auto leave = [&](off_t bytes) {
    TemporaryName name(folder.write("a", "whole, half"));
    name.keep_as(folder / "kept", ".gz");
    name.keep(bytes);
  };
  leave(0);
  EXPECT_EQ(folder.count(), 0);
  for (const char* expected : {"kept.gz", "kept-2.gz", "kept-3.gz"}) {
    leave(5);
    EXPECT_EQ(folder.read(expected), "whole");
    EXPECT_EQ(kept_note(), "; what was done before is in '" + (folder / expected) + "'");
  }
  EXPECT_EQ(folder.count(), 3);
  {
    TemporaryName name(folder.write("a", "whole"));
    name.keep_as(folder / "kept", "");
    name.keep(5);
    name.release();
  }
  EXPECT_EQ(folder.read("a"), "whole") << "it has become something else";
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
