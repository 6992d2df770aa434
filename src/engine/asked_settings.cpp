#include "engine/asked_settings.h"

#include <algorithm>
#include <concepts>

#include "common/error.h"
#include "common/text/named.h"
#include "translate/search/setting_table.h"
#include "translate/service/minimum_risk.h"

namespace nmt {
namespace {

[[noreturn]] void refuse_pair(const AskedSettings& asked, const char* name, const char* other,
                              const std::string& why) {
  throw UsageError("{} and {} exclude each other: {}; leave one out", asked.called(name), asked.called(other),
                   why);
}

/// Whether a setting that others need is active.
bool is_on(const std::string& name, const AskedSettings& asked, const SearchSettings& search) {
  if (name == kBeamGroups.name) return search.beam_groups > 1;
  if (name == kNBest.name) return search.n_best > 1;
  if (name == kMbr.name && (asked.names.contains("oracle") || asked.names.contains("rerank_by"))) return true;
  return asked.names.contains(name);
}

/// Checks a setting by its row of the table.
void check_facts(const SettingFacts& facts, const AskedSettings& asked, const SearchSettings& search) {
  if (!asked.names.contains(facts.name)) return;
  if (facts.is_of_beam && asked.names.contains(kSample.name))
    refuse_pair(asked, kSample.name, facts.name, "samples are drawn, not searched for");
  if (facts.needs.name != nullptr && !is_on(facts.needs.name, asked, search))
    throw UsageError("{} needs {}; give {}", asked.called(facts.name), facts.needs.what,
                     asked.called(facts.needs.name));
}

/// Changes settings that were not asked for, and collects a notice for each.
class DefaultsThatGiveWay {
 public:
  explicit DefaultsThatGiveWay(const AskedSettings& asked) : asked_(asked) {}

  /// Sets the setting `name` to another value because of `why`, a setting that was asked for.
  template <class T>
  void change(const char* why, const char* name, T& setting, T value) {
    if (setting == value || asked_.names.contains(name)) return;
    notices_.push_back(fmt::format("{} overrides the default {} {}: searching with {}", asked_.called(why),
                                   asked_.called(name), shown(setting), shown(value)));
    setting = value;
  }
  std::vector<std::string> take() { return std::move(notices_); }

 private:
  template <HasNames E>
  static std::string shown(E value) {
    return std::string(name_of(value));
  }
  static std::string shown(auto value) { return fmt::format("{}", value); }

  const AskedSettings& asked_;
  std::vector<std::string> notices_;
};

/// Whether patience has no effect: by Marian's rules, exactly as many translations end as the beam is wide.
bool has_idle_patience(const SearchSettings& search) {
  return search.beam_rules == BeamRules::marian && search.patience.value_or(1) > 1;
}

/// Returns a beam width that is enough for `found` translations and a multiple of the number of groups.
int wide_beam(const SearchSettings& search, int found) {
  const int least = std::max(search.beam, found);
  return (least + search.beam_groups - 1) / search.beam_groups * search.beam_groups;
}

/// Returns the setting that a greedy search cannot serve: it chooses among translations, or needs hypotheses
/// that continue without the phrase that others have. Null if there is none.
const char* wanting_a_beam(const AskedSettings& asked) {
  for (const char* name : {kMbr.name, "oracle", "rerank_by", "constraints", "glossary"})
    if (asked.names.contains(name)) return name;
  return nullptr;
}

/// Returns the setting that requires words or phrases in translations; null if there is none.
const char* requiring_phrases(const AskedSettings& asked) {
  for (const char* name : {"constraints", "glossary"})
    if (asked.names.contains(name)) return name;
  return nullptr;
}

/// Throws UsageError if a setting has no effect together with another one, or without one that was not asked
/// for.
void check_together(const AskedSettings& asked, const SearchSettings& search) {
  for (const char* choice : {kMbr.name, "oracle", "rerank_by"}) {
    if (asked.names.contains(choice) && asked.names.contains(kAlternatives.name))
      refuse_pair(asked, choice, kAlternatives.name, "all alternatives are returned");
  }
  const auto check = [&](const SettingFacts& facts, const auto&... /*values*/) {
    check_facts(facts, asked, search);
  };
  each_search_setting(check, search);
  each_sampling_setting(check);
  for (const SettingFacts& facts : {kDistinct, kAlternatives, kCandidates}) check(facts);
  for (const char* other : {"alternatives", "prefix", "constraints", "min_length"}) {
    if (asked.names.contains(kContext.name) && asked.names.contains(other))
      refuse_pair(asked, kContext.name, other, asked.called(other) + " is for texts without a context");
  }
  const char* const required = requiring_phrases(asked);
  if (asked.names.contains(kSample.name) && required != nullptr)
    refuse_pair(asked, kSample.name, required, "samples are drawn, not searched for");
  if (asked.names.contains("patience") && has_idle_patience(search) && !search.sampling)
    throw UsageError("{} above 1 has no effect with the beam rules of marian; leave one out",
                     asked.called("patience"));
}

/// Throws UsageError if there are fewer candidates than translations to choose among them.
void check_candidates(const AskedSettings& asked, int n_best, int candidates) {
  if (n_best <= candidates) return;
  throw UsageError("{} is {}, but {} is {}; ask for more candidates", asked.called(kNBest.name), n_best,
                   asked.called(kCandidates.name), candidates);
}

/// Throws UsageError if a search finds fewer translations than the setting `name` asks for.
void check_beam(const AskedSettings& asked, const SearchSettings& search, const char* name) {
  if (search.sampling || search.alternatives || search.n_best <= search.beam) return;
  throw UsageError("{} {} needs a beam at least as wide, but {} is {}; raise it", asked.called(name),
                   search.n_best, asked.called(kBeam.name), search.beam);
}

}  // namespace

std::vector<std::string> give_way(const AskedSettings& asked, int found, SearchSettings& search) {
  if (search.sampling) return {};  // settings of the beam have no effect
  DefaultsThatGiveWay defaults(asked);
  const char* own = requiring_phrases(asked);
  if (own == nullptr && search.alternatives) own = "alternatives";
  if (own != nullptr) defaults.change(own, "beam_groups", search.beam_groups, 1);
  if (search.alternatives) defaults.change("alternatives", "coverage_penalty", search.coverage_penalty, 0.0);
  if (asked.names.contains("beam") && search.beam % search.beam_groups != 0)
    defaults.change("beam", "beam_groups", search.beam_groups, 1);
  if (asked.names.contains("beam_rules") && search.beam_rules != BeamRules::nmt)
    defaults.change("beam_rules", "beam_groups", search.beam_groups, 1);
  if (own == nullptr && search.beam_groups > 1) own = "beam_groups";
  if (own == nullptr && asked.names.contains("patience") && has_idle_patience(search)) own = "patience";
  if (own != nullptr) defaults.change(own, "beam_rules", search.beam_rules, BeamRules::nmt);
  if (search.alternatives) {
    const int most = std::max(static_cast<int>(kBeam.limits.most) / std::max(found, 1), 1);
    defaults.change("n_best", "beam", search.beam, std::min(search.beam, most));
  } else {
    const char* const several = asked.names.contains("candidates") ? "candidates" : "n_best";
    const bool is_narrow = asked.names.contains("glossary")
                               ? std::max(search.beam, found) < SearchSettings().beam
                               : search.beam == 1 && found == 1;
    const char* const wanting = is_narrow ? wanting_a_beam(asked) : nullptr;
    const char* const why = wanting != nullptr ? wanting : found > search.beam ? several : "beam_groups";
    defaults.change(why, "beam", search.beam,
                    wide_beam(search, wanting != nullptr ? SearchSettings().beam : found));
  }
  return defaults.take();
}

std::vector<std::string> settle(const AskedSettings& asked, const WantedTranslations& wanted,
                                bool has_constraints, SearchSettings& search) {
  std::vector<std::string> notices =
      give_way(asked, std::max(wanted.n_best, wanted.candidates.value_or(1)), search);
  search.n_best = wanted.are_chosen ? wanted.candidates.value_or(usual_candidates(search)) : wanted.n_best;
  if (wanted.are_chosen) check_candidates(asked, wanted.n_best, search.n_best);
  check_together(asked, search);
  check_beam(asked, search, wanted.are_chosen ? kCandidates.name : kNBest.name);
  search.check_strategy(has_constraints,
                        asked.names.contains("glossary") ? "terms of `glossary`" : "`constraints`");
  return notices;
}

SearchSettings settle_for_terms(AskedSettings asked, const WantedTranslations& wanted, SearchSettings search,
                                std::vector<std::string>& notices) {
  if (search.glossary_by == GlossaryBy::annotation) return search;  // there is no second search
  asked.names.insert("glossary");
  for (std::string& notice : settle(asked, wanted, true, search)) {
    if (std::ranges::count(notices, notice) == 0) notices.push_back(std::move(notice));
  }
  return search;
}

void check_right_to_left(const AskedSettings& asked, const std::string& model) {
  // These settings apply from the beginning of a translation, which such a model generates last.
  for (const char* name : {"prefix", "constraints", "glossary", "avoid", "alternatives"}) {
    if (asked.names.contains(name))
      throw UsageError("{} needs left-to-right models, but '{}' goes from right to left; leave it out",
                       asked.called(name), model);
  }
}

}  // namespace nmt
