// Requests for translations as JSON objects.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "translate/service/translation_request.h"

namespace nmt {

/// Most bytes of the text of a request, JSON and all.
constexpr std::size_t kLongestRequest = std::size_t{16} << 20;

/// The fields that take_request() takes, as properties of a JSON schema, each with a description. Limits of
/// settings are those of a request to a server (SettingFacts::most_in_request).
nlohmann::ordered_json request_schema();

/// Throws UsageError for a value that is no object, and for the first name in it that is neither a setting of
/// take_request() nor one of `others`.
void check_names(const nlohmann::json& object, std::vector<std::string> others = {});

/// Takes what an object asks for: `text` (which it must have) and `prefix`, texts; `markup`,
/// whether the text is HTML or XML, `keep`, what is kept as it is, a rule or a list of rules (see KeepRules),
/// and `replace_unknown` (see TranslationRequest), true or false; `too_long`, a name of TooLong;
/// `constraints`, a list of texts or of lists of alternatives, which must occur, and `avoid`, a list of texts
/// that must not; `n_best`; `distinct` and `alternatives`, true or false; `mbr`, a metric of utility_names()
/// by which so many are chosen among `candidates`; settings of the search, by their names in files
/// (each_search_setting), and of samples (each_sampling_setting) where they are drawn: `sample` says whether,
/// and `without_replacement` how, true or false. What it does not name is as `request` has it, whose `search`
/// is not null. Line ends in texts become blanks, and markup stays where it is (see set_apart). Settings that
/// nobody asked for give way (see give_way()), and `request.notices` tells which; `asked_before` names those
/// that were asked for before, as on the command line. Throws UsageError, in which names are quoted, for
/// anything else: names that are unknown, values of another kind or out of range, and settings that do not go
/// together.
void take_request(const nlohmann::json& object, TranslationRequest& request,
                  const std::set<std::string>& asked_before = {});

/// The same for the text of an object. Throws UsageError as well where it is none, or too long.
void take_request(std::string_view object, TranslationRequest& request,
                  const std::set<std::string>& asked_before = {});

/// Throws UsageError, in which names are quoted, for what a model from right to left cannot be asked.
void check_right_to_left(const TranslationRequest& request, const std::string& model);

}  // namespace nmt
