#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "translate/service/ordered_results.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;

/// Returns the windows of lines with these numbers of bytes; an empty line takes 2 rows, and every 4 bytes
/// another 2.
std::vector<std::int64_t> windows_of(LineWindows windows, const std::vector<std::size_t>& lines) {
  const auto greedy = std::make_shared<const SearchSettings>(SearchSettings{.beam = 1});
  std::vector<std::int64_t> numbers;
  numbers.reserve(lines.size());
  for (const std::size_t bytes : lines)
    numbers.push_back(windows.window_of({.text = std::string(bytes, 'x'), .search = greedy}));
  return numbers;
}

TEST(LineWindowsTest, EndByTheRowsOfTheirLines) {
  EXPECT_THAT(windows_of(LineWindows(1, 100), {0, 0, 0, 0, 0, 4, 4, 0, 8}),
              ElementsAre(0, 0, 0, 0, 1, 1, 2, 2, 3));
}

TEST(LineWindowsTest, EndByTheNumberOfTheirLines) {
  EXPECT_THAT(windows_of(LineWindows(1000, 2), {0, 0, 0, 0, 0}), ElementsAre(0, 0, 1, 1, 2));
}

TEST(LineWindowsTest, ALineOfMoreRowsIsAWindow) {
  EXPECT_THAT(windows_of(LineWindows(1, 100), {1000, 1000, 0, 1000}), ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace nmt
