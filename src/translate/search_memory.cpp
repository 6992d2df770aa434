#include "translate/search_memory.h"

#include <algorithm>

#include "backend/measure/measure.h"
#include "translate/search.h"

namespace nmt {

void endless_search(const Model& model, Backend& backend, Arena& arena, const SearchSettings& search,
                    const std::vector<std::int64_t>& lengths) {
  constexpr std::int32_t kNever = -1;
  std::vector<Example> examples;
  for (const std::int64_t length : lengths)
    examples.push_back({0, std::vector<int>(static_cast<std::size_t>(length - 1)), {}});
  nmt::search(model, backend, arena, examples, Marks{.target_end = kNever}, search);
}

std::size_t search_bytes(const ModelSettings& settings, const Precision& precision,
                         const SearchSettings& search, std::int64_t batch_tokens, std::int64_t length) {
  MeasureBackend backend(precision);
  const std::unique_ptr<Model> model = ModelRegistry::instance().make(settings);
  model->parameters().allocate(backend, false);
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(batch_tokens / length, 1));
  Arena arena(backend);
  endless_search(*model, backend, arena, search, std::vector<std::int64_t>(count, length));
  return arena.high_water();
}

}  // namespace nmt
