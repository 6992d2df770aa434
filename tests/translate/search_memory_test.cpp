#include <gtest/gtest.h>

#include "nn/formula_weights.h"
#include "translate/search/search.h"
#include "translate/search/search_state.h"
#include "translate/service/translator.h"

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
  std::map<std::string, std::size_t> bytes;
  for (const char* layer : {"attention", "average", "ssru"}) {
    nlohmann::json config = kSearchConfig;
    config["decoder_layer"] = layer;
    const auto model = testing::formula_model(config, 1, *backend);
    Worker worker(*backend);
    const SearchSettings search{.max_length_extra = 20};
    const DecoderCapacity capacity{.source_rows = 60, .cache_rows = 6 * 4 * 30};
    endless_search(*model, worker, search, capacity, std::vector<std::int64_t>(6, 10));
    const ModelSettings settings = ModelRegistry::instance().complete(testing::settings_of(config));
    bytes[layer] = translation_memory(settings, *backend, search, capacity, 10).search;
    EXPECT_EQ(bytes[layer], worker.arena().high_water()) << layer;
  }
  EXPECT_LT(bytes["average"], bytes["attention"]) << "a sum for each token, not its key and value";
  EXPECT_LT(bytes["ssru"], bytes["attention"]) << "a state for each token";
}

// Embeddings are read by rows and by products, all other weights only by products.
TEST(SearchMemory, WeightsAreThereOnceButForTheTiedTable) {
  nlohmann::json config = kSearchConfig;
  config.update({{"d_model", 256}, {"d_ff", 512}, {"source_vocabulary", 320}, {"target_vocabulary", 320}});
  const ModelSettings settings = ModelRegistry::instance().complete(testing::settings_of(config));
  const std::int64_t count = ModelRegistry::instance().make(settings)->parameters().count();
  for (const auto& [precision, size] : {std::pair{"f32", 4}, {"bf16", 2}, {"int8", 1}}) {
    const auto backend = open_backend({.device = "cpu", .precision = precision});
    const auto expected = static_cast<double>((count + 320 * 256) * size);
    EXPECT_NEAR(static_cast<double>(translation_memory(settings, *backend, {}, {100, 100}, 10).weights),
                expected, 0.05 * expected)
        << precision;
  }
}

// The limits include about 40 MB for the program and the text.
TEST(SearchMemory, OfTransformerBaseStaysBelow600MegabytesAnd250InInt8) {
  nlohmann::json config = kSearchConfig;
  config.update({{"d_model", 512}, {"d_ff", 2048}, {"heads", 8}, {"encoder_layers", 6}});
  config.update({{"decoder_layers", 6}, {"source_vocabulary", 32000}, {"target_vocabulary", 32000}});
  const ModelSettings base = ModelRegistry::instance().complete(testing::settings_of(config));
  for (const auto& [precision, megabytes] : {std::pair{"f32", 600}, {"int8", 250}}) {
    const auto backend = open_backend({.device = "cpu", .precision = precision, .threads = 1});
    const TranslationMemory memory =
        translation_memory(base, *backend, {.beam = 4}, translation_capacity({.search = {.beam = 4}}), 25);
    EXPECT_LT(memory.weights + memory.search, (static_cast<std::size_t>(megabytes) - 40) * 1'000'000)
        << precision;
  }
}

TEST(SearchMemory, GrowsWithTheCapacityAlone) {
  const auto backend = open_backend({.device = "cpu"});
  const auto bytes = [&](int beam, std::int64_t rows, std::int64_t length = 10) {
    return translation_memory(settings(), *backend, {.beam = beam}, {rows, 2 * rows}, length).search;
  };
  EXPECT_GT(bytes(4, 4000), 3 * bytes(4, 1000));
  EXPECT_LT(bytes(32, 4000), 2 * bytes(4, 4000));
  EXPECT_LT(bytes(4, 4000, 1), 2 * bytes(4, 4000));
  EXPECT_GT(bytes(4, 0, 1), 0U) << "a sentence of its EOS alone";
}

}  // namespace
}  // namespace nmt
