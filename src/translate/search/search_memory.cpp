#include "translate/search/search_memory.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "backend/measure/measure.h"
#include "nn/weights/inference_weights.h"
#include "translate/search/search.h"

namespace nmt {

void endless_search(const Model& model, Worker& worker, const SearchSettings& search,
                    const DecoderCapacity& capacity, const std::vector<std::int64_t>& lengths,
                    const SentenceRules& rules) {
  constexpr std::int32_t kNever = -2;
  auto length = lengths.begin();
  const auto settings = std::make_shared<const SearchSettings>(search);
  const auto shared_rules = std::make_shared<const SentenceRules>(rules);
  const auto next = [&]() -> std::optional<SearchRequest> {
    if (length == lengths.end()) return std::nullopt;
    return SearchRequest{.source = std::vector<int>(static_cast<std::size_t>(*length++ - 1)),
                         .settings = settings,
                         .rules = shared_rules};
  };
  Search endless({{&model, {.target_eos = kNever}}}, worker, capacity, next);
  while (endless.step()) endless.take();
}

TranslationMemory translation_memory(const ModelSettings& settings, const Backend& backend,
                                     const SearchSettings& search, const DecoderCapacity& capacity,
                                     std::int64_t length, const SentenceRules& rules) {
  MeasureBackend device(backend);
  const std::unique_ptr<Model> model = ModelRegistry::instance().make(settings);
  allocate_for_inference(model->parameters(), device);
  prepack(model->parameters(), device);
  const std::size_t weights = device.allocated();
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(capacity.source_rows / length, 1));
  Worker worker(device);
  endless_search(*model, worker, search, capacity, std::vector<std::int64_t>(count, length), rules);
  return {.weights = weights + device.packed(), .search = worker.arena().high_water()};
}

}  // namespace nmt
