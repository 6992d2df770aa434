#include "translate/search/strategy.h"

#include <utility>

#include "translate/search/beam.h"

namespace nmt {

std::unique_ptr<SearchStrategy> make_strategy(std::shared_ptr<const SearchSettings> settings,
                                              std::int64_t limit, std::int32_t end) {
  return std::make_unique<BeamSearch>(std::move(settings), limit, end);
}

}  // namespace nmt
