#include "cli/options/byte_size.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

TEST(ByteSize, HasUnitsOfPowersOf1024) {
  EXPECT_EQ(byte_size("17", "--memory"), 17);
  EXPECT_EQ(byte_size("3K", "--memory"), 3072);
  EXPECT_EQ(byte_size("500M", "--memory"), std::uintmax_t{500} << 20);
  EXPECT_EQ(byte_size("4G", "--memory"), std::uintmax_t{4} << 30);
}

TEST(ByteSize, RefusesWhatIsNone) {
  for (const char* text : {"", "G", "0", "0M", "-1", "1.5G", "4 G", "4GB", "99999999999G"})
    EXPECT_THROW(byte_size(text, "--memory"), UsageError) << text;
}

}  // namespace
}  // namespace nmt
