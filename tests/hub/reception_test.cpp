#include "hub/reception.h"

#include <gtest/gtest.h>

#include "common/temporary_folder.h"

namespace nmt {
namespace {

TEST(Reception, GoesOnWhereTheFileEnds) {
  const TemporaryFolder folder;
  Reception reception(folder.write("file", "hel"), 5);
  EXPECT_EQ(reception.received(), 3);
  EXPECT_FALSE(reception.is_whole());
  EXPECT_TRUE(reception.add("lo"));
  EXPECT_TRUE(reception.is_whole());
  EXPECT_EQ(folder.read("file"), "hello");
}

TEST(Reception, BeginsAnewIfThereIsTooMuch) {
  const TemporaryFolder folder;
  Reception reception(folder.write("file", "too much"), 5);
  EXPECT_EQ(reception.received(), 0);
  EXPECT_TRUE(reception.add("hell"));
  EXPECT_FALSE(reception.add("o!"));
  EXPECT_EQ(reception.received(), 0);
  EXPECT_EQ(folder.read("file"), "");
}

TEST(Reception, BytesThatAreReceivedAgainAreNoProgress) {
  const TemporaryFolder folder;
  Reception reception(folder / "file", 1'000'000);
  const auto fails_after = [&](std::size_t bytes) {
    reception.restart();
    EXPECT_TRUE(reception.add(std::string(bytes, 'x')));
    return reception.count_failure();
  };
  EXPECT_EQ(fails_after(200'000), 1);
  EXPECT_EQ(fails_after(100'000), 2);
  EXPECT_EQ(fails_after(200'000), 3);
  EXPECT_EQ(fails_after(100'000), 4);
  EXPECT_EQ(fails_after(200'000), 5);
  EXPECT_EQ(fails_after(300'000), 1);
}

TEST(Reception, AFewBytesAtATimeAreLittleProgress) {
  const TemporaryFolder folder;
  Reception reception(folder / "file", 1'000'000);
  const auto fails_after = [&](std::size_t bytes) {
    EXPECT_TRUE(reception.add(std::string(bytes, 'x')));
    return reception.count_failure();
  };
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(fails_after(100), i);
  EXPECT_EQ(fails_after(65'536), 1);
}

}  // namespace
}  // namespace nmt
