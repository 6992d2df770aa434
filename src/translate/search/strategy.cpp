#include "translate/search/strategy.h"

#include "translate/search/strategies/beam_groups.h"
#include "translate/search/strategies/constrained_beam.h"
#include "translate/search/strategies/sampling.h"
#include "translate/search/strategies/toolkit_beams.h"

namespace nmt {

std::vector<double> differences(std::span<const double> totals, std::size_t given) {
  std::vector<double> tokens(totals.size());
  for (std::size_t i = given; i < totals.size(); ++i) tokens[i] = totals[i] - (i > 0 ? totals[i - 1] : 0);
  return tokens;
}

std::unique_ptr<SearchStrategy> make_strategy(const SentenceSearch& search) {
  const SearchSettings& settings = *search.settings;
  if (settings.sampling && settings.sampling->without_replacement)
    return std::make_unique<StochasticBeam>(search);
  if (settings.sampling) return std::make_unique<SamplingStrategy>(search);
  if (search.rules->constraints) return std::make_unique<ConstrainedBeam>(search);
  if (settings.alternatives) return std::make_unique<AlternativesBeam>(search);
  if (settings.beam_groups > 1) return std::make_unique<DiverseBeam>(search);
  switch (settings.beam_rules) {
    case BeamRules::marian:
      return std::make_unique<MarianBeam>(search);
    case BeamRules::huggingface:
      return std::make_unique<HuggingFaceBeam>(search);
    case BeamRules::ctranslate2:
      return std::make_unique<CTranslate2Beam>(search);
    case BeamRules::eole:
      return std::make_unique<EoleBeam>(search);
    case BeamRules::nmt:
      break;
  }
  return std::make_unique<BeamSearch>(search);
}

}  // namespace nmt
