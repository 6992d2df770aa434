#include <gtest/gtest.h>

#include <tuple>

#include "cli/options/value.h"

namespace nmt {
namespace {

TEST(ByteSize, HasUnitsOfPowersOf1024) {
  for (const auto& [text, bytes] : {std::tuple{"17", std::uintmax_t{17}},
                                    {"17B", 17},
                                    {"3K", 3072},
                                    {"3k", 3072},
                                    {"3kB", 3072},
                                    {"1.5K", 1536},
                                    {"500M", std::uintmax_t{500} << 20},
                                    {"500 MB", std::uintmax_t{500} << 20},
                                    {"4G", std::uintmax_t{4} << 30},
                                    {"4GiB", std::uintmax_t{4} << 30},
                                    {"2T", std::uintmax_t{2} << 40},
                                    {"100_000_000", 100'000'000},
                                    {"1e9", 1'000'000'000}}) {
    EXPECT_EQ(parse_byte_size(text), ByteSize{bytes}) << text;
  }
}

TEST(ByteSize, RefusesEverythingElse) {
  for (const char* text :
       {"", "G", "0", "0M", "-1", "-1G", "1.5", "4 ", " 4", "4X", "4GG", "4Bi", "99999999999G", "nan"})
    EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
}

TEST(ByteSize, WritesTheShortestTextThatReadsBack) {
  for (const char* text : {"17", "100000000", "3K", "1536", "500M", "4G", "2T", "2048T"})
    EXPECT_EQ(format_byte_size(parse_byte_size(text).value()), text);
}

}  // namespace
}  // namespace nmt
