#include "train/tensorboard/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace nmt {
namespace {

// The examples of RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, IsThatOfTheStandard) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

}  // namespace
}  // namespace nmt
