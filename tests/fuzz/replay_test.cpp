// Runs a small, reproducible amount of fuzzing.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "fuzz/mutation.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace {

class Replay : public ::testing::TestWithParam<Target> {
 protected:
  /// Warnings about mutated files do not matter.
  Replay() { program_log().set_level(LogLevel::error); }
  ~Replay() override { program_log().set_level(LogLevel::info); }
};

TEST_P(Replay, SeedsAreGood) {
  for (const std::string& seed : GetParam().seeds()) {
    EXPECT_NO_THROW(GetParam().load(seed));
    EXPECT_NO_THROW(GetParam().load(GetParam().join(GetParam().split(seed))));
  }
}

TEST_P(Replay, MutationsAreReadOrRefused) {
  constexpr int kMutations = 400;
  Mutator mutator(GetParam(), 1);
  int refused = 0;
  for (int i = 0; i < kMutations; ++i) refused += refuses(GetParam(), mutator.next()) ? 1 : 0;
  EXPECT_GT(refused, kMutations / 100);
  EXPECT_LT(refused, kMutations);
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, ::testing::ValuesIn(targets()),
                         [](const auto& target) { return target.param.name; });

}  // namespace
}  // namespace nmt::fuzz
