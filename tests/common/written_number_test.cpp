#include <gtest/gtest.h>

#include <tuple>

#include "common/text/number.h"

namespace nmt {
namespace {

TEST(WrittenNumber, HasSeparatorsAnExponentOrASuffix) {
  for (const auto& [text, digits] : {std::tuple{"25,000", "25000"},
                                     {"25_000", "25000"},
                                     {"1,000,000", "1000000"},
                                     {"1e5", "100000"},
                                     {"2.5E4", "25000"},
                                     {"10k", "10000"},
                                     {"1.5K", "1500"},
                                     {"2.3k", "2300"},
                                     {"2M", "2000000"},
                                     {"-1e3", "-1000"}}) {
    EXPECT_EQ(digits_of(text), digits) << text;
  }
}

TEST(WrittenNumber, RefusesEverythingElse) {
  for (const char* text :
       {"0,001", "0_500", "1.000", "",     "k",      "e",       "17",      "2500", "2500000",
        "4.0",   "1,5",   "25,00", ",000", "1,,000", "25,000k", "1.2345k", "1e-3", "1e999",
        "5e",    "5m",    "5kk",   "0x10", "infk",   "1e20",    "1 k"}) {
    EXPECT_EQ(digits_of(text), std::nullopt) << text;
  }
}

TEST(WrittenNumber, DotsMaySeparateThousands) {
  EXPECT_EQ(without_dots("25.000"), "25000");
  EXPECT_EQ(without_dots("1.000.000"), "1000000");
  for (const char* text : {"", "25000", "4.0", "0.001", "25.00", "1234.000", ".000", "1,000", "25.000k"})
    EXPECT_EQ(without_dots(text), "") << text;
}

}  // namespace
}  // namespace nmt
