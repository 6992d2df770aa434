#include "pictures/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/error.h"
#include "common/process/program.h"
#include "pictures/svg.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

bool is_there() {
  return run_program({"rsvg-convert", "--version"}, "").found;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

TEST(PngTest, HasThePixelsOfTheDrawing) {
  if (!is_there()) GTEST_SKIP() << "no rsvg-convert (Debian: librsvg2-bin)";
  const std::string png = png_of(Svg(40, 30, "t").str(), 2);
  EXPECT_THAT(png, StartsWith("\x89PNG\r\n"));
  EXPECT_EQ(big_endian(png, 16), 80U);
  EXPECT_EQ(big_endian(png, 20), 60U);
}

TEST(PngTest, WhatIsNoDrawingIsRefused) {
  if (!is_there()) GTEST_SKIP() << "no rsvg-convert (Debian: librsvg2-bin)";
  EXPECT_THAT([] { png_of("<svg"); }, ThrowsMessage<Error>(HasSubstr("rsvg-convert cannot make a PNG: ")));
}

TEST(PngTest, AMissingProgramIsNamed) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  EXPECT_THAT([] { png_of(Svg(1, 1, "").str()); }, ThrowsMessage<Error>(HasSubstr("librsvg2-bin")));
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace nmt
