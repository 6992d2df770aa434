// Repeated steps of a search are sent to a GPU as a graph.
#include <gtest/gtest.h>

#include "backend/graph_launches.h"
#include "nn/formula_weights.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

TEST(SearchesOnGpus, AreReplayedWhenTheyComeAgain) {
  if (testing::devices().back() != "cuda") GTEST_SKIP() << "there is no CUDA backend beside the tests";
  const auto backend = testing::open_device("cuda");
  const auto launches = testing::launches_of_emulator();
  if (launches == nullptr) GTEST_SKIP() << "a GPU does not tell what it has launched";
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const SearchSettings settings{.max_length_factor = 0, .max_length_extra = 2.0 * backend->unread_steps()};
  const auto launched = [&] {
    const std::int64_t before = launches();
    search(*model, worker, {testing::examples_of(c["source"])[0]}, testing::kFixtureSpecialTokens, settings);
    return launches() - before;
  };
  const std::int64_t at_first = launched();
  launched();  // what comes for the second time is captured
  EXPECT_GT(launched(), at_first);
}

}  // namespace
}  // namespace nmt
