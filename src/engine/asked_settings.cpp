#include "engine/asked_settings.h"

#include <algorithm>
#include <concepts>

#include "common/error.h"
#include "common/text/named.h"
#include "translate/search/search_limits.h"

namespace nmt {
namespace {

struct Exclusion {
  const char* name;
  std::vector<const char*> others;
  const char* why;
};

const std::vector<Exclusion>& exclusions() {
  static const std::vector<Exclusion> all = {
      {"sample",
       {"beam", "beam_rules", "patience", "length_penalty", "length_normalization", "word_penalty",
        "coverage_penalty", "end_threshold", "beam_groups", "diversity", "constraints"},
       "samples are drawn, not searched for"},
      {"mbr", {"alternatives"}, "alternatives are all told"},
      {"oracle", {"alternatives"}, "alternatives are all told"},
  };
  return all;
}

/// Changes settings that nobody asked for, and takes note.
class DefaultsThatGiveWay {
 public:
  explicit DefaultsThatGiveWay(const AskedSettings& asked) : asked_(asked) {}

  /// Gives a setting, `name`, another value because of `why`, a setting that was asked for.
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

/// How wide a beam has to be for so many translations, and to be a multiple of its groups.
int wide_beam(const SearchSettings& search, int found) {
  const int least = std::max(search.beam, found);
  return (least + search.beam_groups - 1) / search.beam_groups * search.beam_groups;
}

}  // namespace

std::vector<std::string> give_way(const AskedSettings& asked, int found, SearchSettings& search) {
  if (search.sampling) return {};  // what is about a beam has no part in it
  DefaultsThatGiveWay defaults(asked);
  const char* own = asked.names.contains("constraints") ? "constraints"
                    : search.alternatives               ? "alternatives"
                                                        : nullptr;
  if (own != nullptr) defaults.change(own, "beam_groups", search.beam_groups, 1);
  if (search.alternatives) defaults.change("alternatives", "coverage_penalty", search.coverage_penalty, 0.0);
  if (asked.names.contains("beam") && search.beam % search.beam_groups != 0)
    defaults.change("beam", "beam_groups", search.beam_groups, 1);
  if (own == nullptr && search.beam_groups > 1) own = "beam_groups";
  if (own != nullptr) defaults.change(own, "beam_rules", search.beam_rules, BeamRules::nmt);
  if (search.alternatives) {
    const int most = std::max(static_cast<int>(kBeamLimits.most) / std::max(found, 1), 1);
    defaults.change("n_best", "beam", search.beam, std::min(search.beam, most));
  } else {
    const char* const several = asked.names.contains("candidates") ? "candidates" : "n_best";
    defaults.change(found > search.beam ? several : "beam_groups", "beam", search.beam,
                    wide_beam(search, found));
  }
  return defaults.take();
}

void check_together(const AskedSettings& asked, const SearchSettings& search) {
  for (const Exclusion& exclusion : exclusions()) {
    if (!asked.names.contains(exclusion.name)) continue;
    for (const char* other : exclusion.others) {
      if (asked.names.contains(other))
        throw UsageError("{} and {} exclude each other: {}; leave one out", asked.called(exclusion.name),
                         asked.called(other), exclusion.why);
    }
  }
  if (asked.names.contains("diversity") && search.beam_groups == 1)
    throw UsageError("{} needs several groups; give {}", asked.called("diversity"),
                     asked.called("beam_groups"));
  for (const char* name : {"distinct", "alternatives"}) {
    if (asked.names.contains(name) && search.n_best == 1)
      throw UsageError("{} needs several translations; give {}", asked.called(name), asked.called("n_best"));
  }
}

void check_right_to_left(const AskedSettings& asked, const std::string& model) {
  // What they are about is known of translations from their beginning on, which such a model finds last.
  for (const char* name : {"prefix", "constraints", "avoid", "alternatives"}) {
    if (asked.names.contains(name))
      throw UsageError("{} needs models from left to right, but '{}' goes from right to left; leave it out",
                       asked.called(name), model);
  }
}

void check_beam(const AskedSettings& asked, const SearchSettings& search, const std::string& name,
                int found) {
  if (asked.names.contains("sample") || asked.names.contains("alternatives") || found <= search.beam) return;
  throw UsageError("{} {} needs a beam as wide, but {} is {}; widen it", asked.called(name), found,
                   asked.called("beam"), search.beam);
}

}  // namespace nmt
