#include "engine/decoding_defaults.h"

#include <cmath>
#include <concepts>
#include <set>
#include <sstream>
#include <utility>

#include "common/error.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "translate/search/phrase.h"
#include "translate/search/setting_table.h"

namespace nmt {
namespace {

/// Calls use(line, reader) for each line of a file.
template <class Use>
void for_each_line(const std::optional<std::string>& file, const JobContext& job, const Use& use) {
  if (!file) return;
  TextReader reader(*file, CarriageReturn::drop, std::nullopt, job);
  for (std::string line; reader.next(line);) use(line, reader);
}

std::int32_t piece_in(const std::string& piece, const TextReader& reader, const Vocabulary& target) {
  const std::optional<int> id = target.find(piece);
  if (!id) {
    throw Error(
        "'{}', line {}: {} is not a piece of the target vocabulary; write one piece per line as in the "
        "vocabulary, with \u2581 (U+2581) where a word begins, or several with spaces between them",
        reader.name(), reader.line_number(), quoted(piece));
  }
  if (*id == target.end()) {
    throw Error("'{}', line {}: '{}' ends translations and cannot be forbidden; remove the line",
                reader.name(), reader.line_number(), piece);
  }
  return *id;
}

/// Returns the pieces of a line: one that includes spaces, or several separated by spaces.
std::vector<std::int32_t> pieces_in(const std::string& line, const TextReader& reader,
                                    const Vocabulary& target) {
  std::istringstream words(line);
  std::vector<std::int32_t> ids;
  if (!target.find(line)) {
    for (std::string piece; words >> piece;) ids.push_back(piece_in(piece, reader, target));
  }
  if (ids.empty()) ids = {piece_in(line, reader, target)};
  return ids;
}

std::vector<std::int32_t> all_of(std::set<std::int32_t> ids, const ForbiddenTokens& forbidden,
                                 const Vocabulary& target) {
  ids.insert(forbidden.suppressed.begin(), forbidden.suppressed.end());
  if (!forbidden.unknown_allowed) ids.insert(target.unknown());
  for (int id = target.size(); id < target.rows(); ++id) ids.insert(id);          // rows without a piece
  int left = target.rows() - static_cast<int>(ids.size()) - 1;                    // EOS has no text
  if (const auto begin = target.begin(); begin && !ids.contains(*begin)) --left;  // nor has BOS
  if (left <= 0) throw UsageError("`forbid` and `no_unk` leave no piece to translate with; forbid fewer");
  return {ids.begin(), ids.end()};
}

}  // namespace

AllowedTokens allowed_tokens(const ForbiddenTokens& forbidden, std::shared_ptr<const Shortlist> shortlist,
                             const Vocabulary& target, const JobContext& job) {
  std::set<std::int32_t> single;
  std::vector<Phrase> phrases;
  for_each_line(forbidden.file, job, [&](const std::string& line, const TextReader& reader) {
    const std::vector<std::int32_t> ids = pieces_in(line, reader, target);
    if (ids.size() == 1)
      single.insert(ids[0]);
    else
      phrases.emplace_back(ids);
  });
  for_each_line(forbidden.phrase_file, job, [&](const std::string& line, const TextReader& reader) {
    try {
      phrases.emplace_back(line, target);
    } catch (const Error& error) {
      throw Error("'{}', line {}: {}", reader.name(), reader.line_number(), error.what());
    }
  });
  for (const std::string& text : forbidden.phrases) phrases.emplace_back(text, target);
  AllowedTokens allowed{.forbidden = token_list(all_of(std::move(single), forbidden, target)),
                        .shortlist = std::move(shortlist)};
  if (!phrases.empty())
    allowed.forbidden_phrases = std::make_shared<const std::vector<Phrase>>(std::move(phrases));
  return allowed;
}

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
