#include "translate/search_memory.h"

#include <gtest/gtest.h>

#include "nn/formula_weights.h"
#include "translate/search.h"

namespace nmt {
namespace {

const nlohmann::json kSearchConfig = {
    {"type", "transformer"},  {"d_model", 16},       {"d_ff", 32},    {"heads", 2},
    {"encoder_layers", 1},    {"decoder_layers", 2}, {"norm", "pre"}, {"source_vocabulary", 40},
    {"target_vocabulary", 40}};

ModelSettings settings() {
  return ModelRegistry::instance().complete(testing::settings_of(kSearchConfig));
}

TEST(SearchMemory, IsThatOfARealSearch) {
  const auto backend = open_backend({.device = "cpu", .threads = 1});
  const auto model = testing::formula_model(kSearchConfig, 1, *backend);
  Arena arena(*backend);
  const SearchSettings search{.max_length_extra = 20};
  const std::vector<Example> examples(6, {0, std::vector<int>(9, 5), {}});
  const Marks endless{.source_end = 2, .target_end = -1, .start = 1};
  nmt::search(*model, *backend, arena, examples, endless, search);
  EXPECT_EQ(search_bytes(settings(), all_in(DType::f32), search, 60, 10), arena.high_water());
}

TEST(SearchMemory, GrowsWithBeamAndTokens) {
  const auto bytes = [](int beam, std::int64_t tokens) {
    return search_bytes(settings(), all_in(DType::f32), {.beam = beam}, tokens, 10);
  };
  EXPECT_GT(bytes(4, 1000), 3 * bytes(4, 250));
  EXPECT_GT(bytes(8, 1000), bytes(4, 1000));
  EXPECT_GT(search_bytes(settings(), all_in(DType::f32), {}, 1, 1), 0U) << "a sentence of its end mark alone";
}

}  // namespace
}  // namespace nmt
