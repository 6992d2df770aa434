#include "translate/search_memory.h"

#include <algorithm>

#include "backend/measure/measure.h"
#include "translate/search.h"

namespace nmt {

std::size_t search_bytes(const ModelSettings& settings, const Precision& precision,
                         const SearchSettings& search, std::int64_t batch_tokens, std::int64_t length) {
  constexpr std::int32_t kNever = -1;  // so that no hypothesis ends before the limit
  MeasureBackend backend(precision);
  const std::unique_ptr<Model> model = ModelRegistry::instance().make(settings);
  model->parameters().allocate(backend, false);
  const Example example{0, std::vector<int>(static_cast<std::size_t>(length - 1)), {}};
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(batch_tokens / length, 1));
  Arena arena(backend);
  nmt::search(*model, backend, arena, std::vector<Example>(count, example), Marks{.target_end = kNever},
              search);
  return arena.high_water();
}

}  // namespace nmt
