#include "translate/search/strategy.h"

#include "translate/search/strategies/beam.h"
#include "translate/search/strategies/ctranslate2_beam.h"
#include "translate/search/strategies/eole_beam.h"
#include "translate/search/strategies/huggingface_beam.h"
#include "translate/search/strategies/marian_beam.h"
#include "translate/search/strategies/sampling_strategy.h"

namespace nmt {

std::vector<double> differences(std::span<const double> totals, std::size_t given) {
  std::vector<double> tokens(totals.size());
  for (std::size_t i = given; i < totals.size(); ++i) tokens[i] = totals[i] - (i > 0 ? totals[i - 1] : 0);
  return tokens;
}

std::unique_ptr<SearchStrategy> make_strategy(const std::shared_ptr<const SearchSettings>& settings,
                                              std::int64_t limit, std::int32_t end) {
  if (settings->sampling) return std::make_unique<SamplingStrategy>(settings, limit, end);
  switch (settings->beam_rules) {
    case BeamRules::marian:
      return std::make_unique<MarianBeam>(settings, limit, end);
    case BeamRules::huggingface:
      return std::make_unique<HuggingFaceBeam>(settings, limit, end);
    case BeamRules::ctranslate2:
      return std::make_unique<CTranslate2Beam>(settings, limit, end);
    case BeamRules::eole:
      return std::make_unique<EoleBeam>(settings, limit, end);
    case BeamRules::nmt:
      break;
  }
  return std::make_unique<BeamSearch>(settings, limit, end);
}

}  // namespace nmt
