#include "translate/search/search_settings.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "translate/search/setting_table.h"

namespace nmt {
namespace {

/// Returns the base of the power in the length penalty.
double counted(LengthNormalization normalization, double tokens) {
  switch (normalization) {
    case LengthNormalization::power:
      return std::max(tokens, 1.0);  // a translation without tokens, not even EOS, has the score 0
    case LengthNormalization::eole:
      return 1 + tokens;
    case LengthNormalization::wu:
      break;
  }
  return (5 + tokens) / 6;
}

}  // namespace

double ScoreFormula::penalty(std::int64_t length) const {
  return std::pow(counted(length_normalization, static_cast<double>(length)), length_penalty);
}

double ScoreFormula::operator()(double total, std::int64_t length) const {
  return (total - word_penalty * static_cast<double>(length)) / penalty(length);
}

double ScoreFormula::bound(double total, std::int64_t shortest, std::int64_t longest) const {
  double best = (*this)(total, longest);
  if (word_penalty == 0) return best;  // the penalty grows with the length
  for (std::int64_t length = shortest; length < longest; ++length)
    best = std::max(best, (*this)(total, length));
  return best;
}

std::array<std::int32_t, 4> SamplingSettings::key(std::int64_t line, std::int32_t sample) const {
  const auto of_line = static_cast<std::uint64_t>(line);
  return {static_cast<std::int32_t>(seed), static_cast<std::int32_t>((seed ^ of_line) >> 32),
          static_cast<std::int32_t>(of_line), sample};
}

std::int64_t SearchSettings::longest_translation(std::int64_t source_tokens) const {
  const double most = max_length_factor * static_cast<double>(source_tokens) + max_length_extra;
  // Marian computes this in f32, which also hides that most factors are not exact.
  const double whole =
      beam_rules == BeamRules::marian ? std::ceil(static_cast<float>(most)) : std::floor(most);
  return static_cast<std::int64_t>(whole);
}

SearchSettings SearchSettings::of_group() const {
  SearchSettings group = *this;
  group.beam = beam / beam_groups;
  group.n_best = (found() + beam_groups - 1) / beam_groups;
  group.coverage_penalty = 0;  // only the whole beam adds it
  return group;
}

namespace {

/// Throws UsageError if alternatives conflict with other settings.
void check_alternatives(const SearchSettings& settings, bool has_constraints, std::string_view constraints) {
  const std::string_view other = settings.sampling            ? "`sample`"
                                 : has_constraints            ? constraints
                                 : settings.beam_groups > 1   ? "`beam_groups`"
                                 : settings.counts_coverage() ? "`coverage_penalty`"
                                                              : "";
  if (!other.empty()) {
    throw UsageError(
        "`alternatives` and {} exclude each other: each alternative has its own search; leave one out",
        other);
  }
  if (static_cast<double>(settings.n_best) * settings.beam > kBeam.limits.most) {
    throw UsageError("{} `alternatives` have a `beam` of {} each, more than {} hypotheses; lower one of them",
                     settings.n_best, settings.beam, kBeam.limits.most);
  }
  if (settings.beam_rules != BeamRules::nmt) {
    throw UsageError("`alternatives` need the beam rules of nmt, but `beam_rules` is {}; leave one out",
                     name_of(settings.beam_rules));
  }
}

/// Throws UsageError if sampling without replacement is combined with settings that change the distribution.
void check_without_replacement(const SamplingSettings& sampling) {
  const char* const other = sampling.temperature != 1 ? "temperature"
                            : sampling.top_k > 0      ? "top_k"
                            : sampling.top_p < 1      ? "top_p"
                            : sampling.min_p > 0      ? "min_p"
                            : sampling.epsilon > 0    ? "epsilon"
                                                      : nullptr;
  if (other != nullptr) {
    throw UsageError(
        "`without_replacement` and `{}` exclude each other: such samples are drawn from the unchanged "
        "probabilities of the model; leave one out",
        other);
  }
}

}  // namespace

void SearchSettings::check_strategy(bool has_constraints, std::string_view constraints) const {
  if (alternatives) check_alternatives(*this, has_constraints, constraints);
  if (sampling && has_constraints)
    throw UsageError("`sample` and {} exclude each other: samples cannot be forced; leave one out",
                     constraints);
  if (sampling && sampling->without_replacement) check_without_replacement(*sampling);
  if (sampling) return;
  if (beam_groups > 1 && beam % beam_groups != 0)
    throw UsageError("`beam` is {} and `beam_groups` {}: the beam must be a multiple of the groups", beam,
                     beam_groups);
  if (beam_groups > 1 && has_constraints)
    throw UsageError("`beam_groups` and {} exclude each other; leave one out", constraints);
  if ((beam_groups > 1 || has_constraints) && beam_rules != BeamRules::nmt)
    throw UsageError("{} need the beam rules of nmt, but `beam_rules` is {}; leave one out",
                     has_constraints ? constraints : "`beam_groups`", name_of(beam_rules));
}

}  // namespace nmt
