#include "common/io/checksum.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(Checksum, IsXxh3) {
  // From the algorithm's own test vectors: the empty input with seed 0.
  EXPECT_EQ(Checksum().value(), 0x2D06800538D394C2U);
  EXPECT_EQ(Checksum().digits(), "2d06800538d394c2");
}

TEST(Checksum, DoesNotDependOnThePieces) {
  Checksum pieces;
  pieces.add("one ").add("").add("two");
  EXPECT_EQ(pieces.value(), Checksum().add("one two").value());
  EXPECT_NE(pieces.value(), Checksum().add("one twp").value());
}

}  // namespace
}  // namespace nmt
