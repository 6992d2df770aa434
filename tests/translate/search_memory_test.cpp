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
  const DecoderRoom room{.source_rows = 60, .cache_rows = 6 * 4 * 30};
  endless_search(*model, *backend, arena, search, room, std::vector<std::int64_t>(6, 10));
  EXPECT_EQ(search_bytes(settings(), all_in(DType::f32), search, room, 10), arena.high_water());
}

TEST(SearchMemory, GrowsWithTheRoomAlone) {
  const auto bytes = [](int beam, std::int64_t rows, std::int64_t length = 10) {
    return search_bytes(settings(), all_in(DType::f32), {.beam = beam}, {rows, 2 * rows}, length);
  };
  EXPECT_GT(bytes(4, 4000), 3 * bytes(4, 1000));
  EXPECT_LT(bytes(32, 4000), 2 * bytes(4, 4000));
  EXPECT_LT(bytes(4, 4000, 1), 2 * bytes(4, 4000));
  EXPECT_GT(bytes(4, 0, 1), 0U) << "a sentence of its end mark alone";
}

}  // namespace
}  // namespace nmt
