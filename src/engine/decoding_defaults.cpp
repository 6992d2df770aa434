#include "engine/decoding_defaults.h"

#include <cmath>
#include <concepts>
#include <sstream>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "translate/search/setting_table.h"

namespace nmt {
namespace {

/// Returns "4" for "4.0" and "4e0", which options and requests accept as well; other texts as they are.
std::string as_whole_number(const std::string& text) {
  constexpr double kMostExact = 9007199254740992;  // up to which a double has all whole numbers
  const auto number = number_of<double>(text);
  const bool is_whole = number && *number == std::trunc(*number) && std::abs(*number) <= kMostExact;
  return is_whole ? fmt::format("{:.0f}", *number) : text;
}

/// Applies the settings of a file one by one. All of them are checked, even those that were given otherwise,
/// so that a file is valid or invalid for everybody.
class Defaults {
 public:
  Defaults(const DecodingSettings& settings, const std::set<std::string>& given)
      : settings_(settings), given_(given) {}

  template <class T>
  void operator()(const SettingFacts& facts, T& target) {
    const std::string name = facts.name;
    if (!is_there(name)) return;
    if constexpr (HasNames<T>) {
      put(name, value_named<T>(choice_setting(settings_, name, names_of<T>())).value(), target);
    } else if constexpr (std::integral<T>) {
      const auto least = static_cast<std::int64_t>(facts.limits.least);
      const auto most = static_cast<std::int64_t>(facts.limits.most);
      put(name, integer_setting({{name, as_whole_number(settings_.at(name))}}, name, least, most), target);
    } else {
      put(name, real_setting(settings_, name, facts.limits.least, facts.limits.most), target);
    }
  }
  void truth(const std::string& name, bool& target) {
    if (is_there(name)) put(name, choice_setting(settings_, name, {"true", "false"}) == "true", target);
  }
  /// Reads ids of the vocabulary, separated by spaces, without EOS.
  void ids(const std::string& name, const Vocabulary& vocabulary, std::vector<std::int32_t>& target) {
    if (!is_there(name)) return;
    std::istringstream words(settings_.at(name));
    for (std::string word; words >> word;) {
      const std::int64_t id = integer_setting({{name, word}}, name, 0, vocabulary.rows() - 1);
      if (id == vocabulary.end()) throw UsageError("{} '{}' is EOS, which ends translations", name, word);
      target.push_back(static_cast<std::int32_t>(id));
    }
  }

  /// Accepts a setting that is read elsewhere.
  void leave(const std::string& name) { known_.insert(name); }

  /// Throws UsageError for a setting that was not read or accepted.
  void refuse_others() const {
    for (const auto& [name, value] : settings_) {
      if (!known_.contains(name))
        throw UsageError("unknown setting '{}'{}", name,
                         did_you_mean_any(name, {known_.begin(), known_.end()}));
    }
  }

 private:
  bool is_there(const std::string& name) {
    known_.insert(name);
    return settings_.contains(name);
  }
  template <class T, class U>
  void put(const std::string& name, T value, U& target) const {
    if (!given_.contains(name)) target = static_cast<U>(value);
  }

  const DecodingSettings& settings_;
  const std::set<std::string>& given_;
  std::set<std::string> known_;
};

}  // namespace

void take_decoding_defaults(const SavedModel& model, const Vocabulary& target, const std::string& path,
                            const std::set<std::string>& given, SearchSettings& search,
                            ForbiddenTokens& forbidden) {
  Defaults defaults(model.decoding, given);
  try {
    each_search_setting(defaults, search);
    defaults.truth("unk", forbidden.unknown_allowed);
    defaults.ids("suppress", target, forbidden.suppressed);
    for (const char* name : {"replace_unknown", "source_language", "target_language"}) defaults.leave(name);
    defaults.refuse_others();
  } catch (const UsageError& error) {  // in the file, not on the command line
    throw Error("'{}', decoding: {}", path, error.what());
  }
  static_cast<void>(replaces_unknown(model, path));
  if (!target.first_tokens().empty() && model.special_tokens.target_reversed) {
    throw Error(
        "'{}' begins its translations with tokens of a language, but goes from right to left "
        "(target_direction)",
        path);
  }
}

std::optional<bool> replaces_unknown(const SavedModel& model, const std::string& path) {
  constexpr const char* kName = "replace_unknown";
  if (!model.decoding.contains(kName)) return std::nullopt;
  try {
    return choice_setting(model.decoding, kName, {"true", "false"}) == "true";
  } catch (const UsageError& error) {
    throw Error("'{}', decoding: {}", path, error.what());
  }
}

}  // namespace nmt
