#include "translate/service/translation_settings.h"

#include "translate/search/search.h"

namespace nmt {

DecoderCapacity translation_capacity(const TranslationSettings& settings) {
  const std::int64_t source_rows =
      settings.batch_tokens * kUsualRows / (kUsualRows + Search::expected_rows(kUsualRows, settings.search));
  return {source_rows, settings.batch_tokens - source_rows};
}

}  // namespace nmt
