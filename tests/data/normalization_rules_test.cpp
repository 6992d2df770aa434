#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "common/error.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint32_t kKey = 1U << 8, kValue = 1U << 31;

std::uint32_t unit(std::uint32_t label, std::uint32_t offset, std::uint32_t marks = 0) {
  return offset << 10 | marks | label;
}

std::string bytes_of(std::uint32_t size, const std::vector<std::uint32_t>& units,
                     const std::string& replacements) {
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(units.data()), units.size() * sizeof units[0]);
  return bytes + replacements;
}

/// The rule that "a" becomes "bc": edges of the root at 1, edges after "a" at 2.
class NormalizationRulesTest : public ::testing::Test {
 protected:
  NormalizationRulesTest() : units_(256, kValue) {
    units_[0] = unit(0, 1);
    units_[1 ^ 'a'] = unit('a', 1 ^ 'a' ^ 2, kKey);
    units_[2] = kValue | 0;
  }

  void check() const { check_normalization_rules(bytes_of(1024, units_, replacements_)); }
  void expect_refused(const char* reason) const {
    EXPECT_THAT([&] { check(); }, ThrowsMessage<Error>(HasSubstr(reason)));
  }

  std::vector<std::uint32_t> units_;
  std::string replacements_ = "bc\0"s;
};

TEST_F(NormalizationRulesTest, TakesRulesThatHold) {
  EXPECT_NO_THROW(check());
}

TEST_F(NormalizationRulesTest, RefusesATrieOfAnotherSize) {
  for (const std::uint32_t size : {0U, 4U, 1020U, 1028U, UINT32_MAX}) {
    EXPECT_THROW(check_normalization_rules(bytes_of(size, units_, replacements_)), Error) << size;
  }
  EXPECT_THROW(check_normalization_rules("abc"), Error);
}

TEST_F(NormalizationRulesTest, RefusesWaysOutside) {
  units_[1 ^ 'a'] = unit('a', 256, kKey);
  expect_refused("lead outside");
  units_[0] = unit(0, 1U << 21);
  expect_refused("lead outside");
}

TEST_F(NormalizationRulesTest, RefusesReplacementsOutside) {
  units_[2] = kValue | 3;
  expect_refused("lead outside");
  units_[2] = kValue | 0;
  replacements_ = "bc";
  expect_refused("lead outside");
  replacements_ = std::string(5000, 'b') + '\0';
  expect_refused("lead outside");
  replacements_ = "\xC3\0"s;
  expect_refused("not valid UTF-8");
}

TEST_F(NormalizationRulesTest, RefusesWaysInCircles) {
  units_[1 ^ 'a'] = unit('a', 'a', 0);  // points back to the edges of the root
  expect_refused("no end");
}

TEST_F(NormalizationRulesTest, RefusesMoreKeysInAKeyThanThereIsRoomFor) {
  units_.assign(256 * 64, kValue);
  units_[0] = unit(0, 256);
  for (std::uint32_t depth = 1; depth < 60; ++depth) {
    const std::uint32_t at = 256 * depth ^ 'a', next = 256 * (depth + 1);
    units_[at] = unit('a', at ^ next, kKey);
    units_[next] = kValue | 0;
  }
  EXPECT_THAT([&] { check_normalization_rules(bytes_of(1024 * 64, units_, replacements_)); },
              ThrowsMessage<Error>(HasSubstr("too many prefixes")));
}

}  // namespace
}  // namespace nmt
