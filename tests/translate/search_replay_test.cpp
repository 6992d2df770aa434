// Repeated steps of a search are sent to a GPU as a graph.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "backend/graph_launches.h"
#include "nn/formula_weights.h"
#include "translate/search/search.h"

namespace nmt {
namespace {

TEST(SearchesOnGpus, AreReplayedWhateverTheLengthsOfSentences) {
  if (testing::devices().back() != "cuda") GTEST_SKIP() << "there is no CUDA backend beside the tests";
  const auto backend = testing::open_device("cuda");
  const auto launches = testing::launches_of_emulator();
  if (launches == nullptr) GTEST_SKIP() << "a GPU does not tell what it has launched";
  const auto c = testing::fixture("searches.json")[1];
  const auto model = testing::formula_model(c["config"], c["gain"], *backend, false, c["end_bias"]);
  Worker worker(*backend);
  const auto settings = std::make_shared<SearchSettings>();
  settings->max_length_factor = 0;
  settings->max_length_extra = 2.0 * backend->unread_steps();
  // One sentence at a time: 5, 3, 7, 5, ... tokens. All of them are in the smallest bucket.
  constexpr std::array<std::size_t, 3> kLengths = {5, 3, 7};
  constexpr std::int64_t kSentences = 12;
  std::int64_t begun = 0, found = 0;
  std::vector<std::int64_t> before;  // launches when each sentence begins
  Search search({{model.get(), testing::kFixtureSpecialTokens}}, worker,
                {.source_rows = 16, .cache_rows = 256}, [&]() -> std::optional<SearchRequest> {
                  if (begun == kSentences || begun > found) return std::nullopt;
                  before.push_back(launches());
                  const std::vector<int> source(kLengths[static_cast<std::size_t>(begun) % 3], 4);
                  return SearchRequest{begun++, source, settings};
                });
  while (search.step()) found += std::ssize(search.take());
  ASSERT_EQ(std::ssize(before), kSentences);
  // The encoder, the first step, and at least two sequences of further steps.
  EXPECT_GE(before[11] - before[10], 4);
  EXPECT_EQ(before[11] - before[10], before[10] - before[9]);
}

}  // namespace
}  // namespace nmt
