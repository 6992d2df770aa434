// Translation requests as JSON objects.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "translate/service/translation_request.h"

namespace nmt {

/// The maximum number of bytes of the JSON text of a request.
constexpr std::size_t kLongestRequest = std::size_t{16} << 20;

/// The maximum number of terms in the glossary of a request to a server, which other clients wait for.
constexpr std::size_t kMostTermsOfRequest = 1000;

/// Returns the fields that take_request() reads, as properties of a JSON schema with descriptions. The limits
/// of settings are those of a request to a server (SettingFacts::most_in_request).
nlohmann::ordered_json request_schema();

/// The sender of a request. Messages name the limits of settings for this sender: a server allows less to its
/// clients than the command line (see SettingFacts::most_in_request).
enum class Requester : std::uint8_t { command, client };

/// Throws UsageError if the value is not an object, or for the first name in it that is neither a field of
/// take_request() nor one of `others`.
void check_names(const nlohmann::json& object, const std::vector<std::string>& others = {});

/// Reads all of a request but its text from an object, whose names are not checked:
/// - `prefix`: a text;
/// - `markup`: whether the text is HTML or XML;
/// - `keep`: a rule or a list of rules for parts that are copied (see KeepRules);
/// - `replace_unknown`: true or false (see TranslationRequest);
/// - `too_long`: a name of TooLong;
/// - `constraints`: a list of texts, or of lists of alternatives, that must occur;
/// - `glossary`: terms (see terms_in()), from a client at most kMostTermsOfRequest;
/// - `avoid`: a list of texts that must not occur;
/// - `context`: a number, `most` of the context;
/// - `n_best`: a number; `distinct` and `alternatives`: true or false;
/// - `mbr`: a metric of utility_names(), which chooses n_best of the `candidates`, or one of
///   model_metric_names() if the request already has the utility of such a model, from the command line;
/// - settings of the search, by their names in files (each_search_setting);
/// - settings of random sampling (each_sampling_setting): `sample`, whether translations are drawn, and
///   `without_replacement`, true or false.
/// Fields that are left out stay as in `request`, whose `search` is not null. Line ends in texts become
/// spaces, and markup stays where it is (see set_apart). Settings that the object does not have are defaults,
/// wherever they come from: they give way (see give_way()), and `request.notices` lists them. Throws
/// UsageError, in which names are quoted, for values of a wrong type or out of range, and settings that
/// conflict; but see check_limits() for what a server allows.
void take_settings(const nlohmann::json& object, TranslationRequest& request,
                   Requester requester = Requester::command);

/// Reads a request from an object with a `text` and the fields of take_settings(). Also throws UsageError for
/// other names.
void take_request(const nlohmann::json& object, TranslationRequest& request);

/// Reads a request from the JSON text of an object. Also throws UsageError if the text is invalid or too
/// long.
void take_request(std::string_view object, TranslationRequest& request);

/// Throws UsageError, in which names are quoted, for settings that a right-to-left model does not support.
void check_right_to_left(const TranslationRequest& request, const std::string& model);

}  // namespace nmt
