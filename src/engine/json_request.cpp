#include "engine/json_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "common/text/foreign_names.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "common/text/words.h"
#include "engine/asked_settings.h"
#include "engine/json_terms.h"
#include "engine/plain_json.h"
#include "translate/quality/comet_utility.h"
#include "translate/search/setting_table.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kDeepest = 4;  // nothing needs more nesting
constexpr std::size_t kShown = 60;

/// Returns a value as messages show it.
std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kShown) text = std::string(beginning_of(text, kShown)) + "...";
  return text;
}

/// Reads the values of an object by name, and checks their types and ranges.
class Fields {
 public:
  explicit Fields(const json& object, Requester requester = Requester::command)
      : object_(object), requester_(requester) {}

  /// Whether there is a value. null counts as none.
  bool has(const std::string& name) const {
    const auto found = object_.find(name);
    return found != object_.end() && !found->is_null();
  }
  const json& value(const std::string& name) const { return object_.at(name); }
  void text(const std::string& name, std::string& target) const {
    if (!has(name)) return;
    const json& value = object_.at(name);
    if (!value.is_string()) refuse(name, "a text");
    target = value.get<std::string>();
    repair_utf8(target);
    std::ranges::replace_if(
        target, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  }
  void truth(const std::string& name, bool& target) const {
    if (!has(name)) return;
    if (!object_.at(name).is_boolean()) refuse(name, "true or false");
    target = object_.at(name).get<bool>();
  }

  /// Reads a text or a list of texts, each of which may be a list of alternatives. `expected`: for messages.
  void alternatives(const std::string& name, std::vector<Alternatives>& target,
                    const char* expected = "a text, or a list of texts or of lists of alternatives") const {
    if (!has(name)) return;
    const auto as_list = [](const json& value) { return value.is_array() ? value : json::array({value}); };
    const auto is_text = [](const json& value) { return value.is_string(); };
    for (const json& value : as_list(object_.at(name))) {
      const json list = as_list(value);
      if (list.empty() || !std::ranges::all_of(list, is_text)) refuse(name, expected);
      target.push_back(list.get<Alternatives>());
      std::ranges::for_each(target.back(), [](std::string& text) { repair_utf8(text); });
    }
  }
  /// Reads a text or a list of texts.
  void texts(const std::string& name, std::vector<std::string>& target) const {
    std::vector<Alternatives> all;
    alternatives(name, all, "a text or a list of texts");
    for (Alternatives& one : all) {
      if (one.size() != 1) refuse(name, "a text or a list of texts");
      target.push_back(std::move(one[0]));
    }
  }
  std::optional<std::string> one_of(const std::string& name, const std::vector<std::string>& names) const {
    if (!has(name)) return std::nullopt;
    const json& value = object_.at(name);
    if (!value.is_string() || std::ranges::count(names, value.get<std::string>()) == 0)
      refuse(name, "one of " + join(names, ", "));
    return value.get<std::string>();
  }
  bool is(const std::string& name, const std::string& value) const {
    const auto found = object_.find(name);
    return found != object_.end() && *found == value;
  }
  Requester requester() const { return requester_; }
  template <HasNames E>
  void named(const std::string& name, E& target) const {
    if (const auto found = one_of(name, names_of<E>())) target = value_named<E>(*found).value();
  }

  /// Reads a setting of the table.
  template <class T>
  void operator()(const SettingFacts& facts, T& target) const {
    if constexpr (std::is_same_v<T, bool>) {
      truth(facts.name, target);
    } else if constexpr (HasNames<T>) {
      named(facts.name, target);
    } else if (has(facts.name)) {
      number(facts, target);
    }
  }

 private:
  void number(const SettingFacts& facts, std::integral auto& target) const {
    const json& value = object_.at(facts.name);
    const double least = facts.limits.least, most = most_of(facts);
    if (!is_whole(value) || !is_within(value, facts.limits))
      refuse(facts.name, most < 0x1p63 ? fmt::format("a whole number from {} to {}", least, most)
                                       : fmt::format("a whole number of at least {} in 64 bits", least));
    target = value.get<std::remove_reference_t<decltype(target)>>();
  }
  void number(const SettingFacts& facts, auto& target) const {
    const json& value = object_.at(facts.name);
    if (!value.is_number() || !is_within(value, facts.limits))
      refuse(facts.name, fmt::format("a number from {} to {}", facts.limits.least, most_of(facts)));
    target = value.get<double>();
  }
  /// Returns the most of a setting for messages.
  double most_of(const SettingFacts& facts) const {
    return requester_ == Requester::client && facts.most_in_request > 0 ? facts.most_in_request
                                                                        : facts.limits.most;
  }
  /// Whether a value is an integer: 4, or 4.0.
  static bool is_whole(const json& value) {
    if (!value.is_number_float()) return value.is_number_integer();
    const double number = value.get<double>();
    return number == std::trunc(number) && std::abs(number) < 1e15;
  }
  static bool is_within(const json& value, const SettingLimits& limits) {
    return value.get<double>() >= limits.least && value.get<double>() <= limits.most;
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& expected) const {
    throw UsageError("'{}' is {}, but must be {}", name, shown(object_.at(name)), expected);
  }

  const json& object_;
  Requester requester_;
};

/// The fields of a request that are not settings of the table, as properties of a JSON schema.
constexpr std::string_view kOtherFields = R"json({
  "text": {"type": "string", "description": "The text to translate."},
  "prefix": {"type": "string", "description": "What translations begin with."},
  "constraints": {"oneOf": [{"type": "string"},
                            {"type": "array",
                             "items": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}],
                  "description": "Words and phrases that must occur, or lists of alternatives."},
  "glossary": {"oneOf": [{"type": "object"}, {"type": "array"}],
               "description": "Terms of the text with the translations that must occur: an object, or a list of lists of a term, its translation and, optionally, flags (case, prefix). A translation may be a list of alternatives; an empty one keeps the term."},
  "avoid": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            "description": "Words and phrases that must not occur."},
  "markup": {"type": "boolean", "description": "The text is HTML or XML, and the translation gets its tags."},
  "keep": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
           "description": "What stays as it is: urls, emails, placeholders, printf, emoji, or regular expressions."},
  "replace_unknown": {"type": "boolean", "description": "Copy unknown pieces from the source."}
})json";

/// Names of the text in requests to other programs.
constexpr std::array<std::string_view, 5> kNamesOfText = {"q", "src", "input", "inputs", "sentence"};
/// Fields of requests to a server that objects of the command line do not have.
constexpr std::array<std::string_view, 5> kOfServer = {"model", "source", "target", "source_lang",
                                                       "target_lang"};

/// Adds settings of the table to the properties of a JSON schema.
class SchemaWriter {
 public:
  explicit SchemaWriter(ordered_json& properties) : properties_(properties) {}

  template <class T>
  void operator()(const SettingFacts& facts, const T& /*value*/) const {
    if constexpr (std::is_same_v<T, bool>) {
      add(facts, {{"type", "boolean"}});
    } else if constexpr (HasNames<T>) {
      add(facts, {{"type", "string"}, {"enum", names_of<T>()}});
    } else {
      const double most = facts.most_in_request > 0 ? facts.most_in_request : facts.limits.most;
      if constexpr (std::integral<T>) {
        add(facts, {{"type", "integer"},
                    {"minimum", static_cast<std::uint64_t>(facts.limits.least)},
                    {"maximum", most < 0x1p63 ? ordered_json(static_cast<std::uint64_t>(most))
                                              : ordered_json(std::numeric_limits<std::uint64_t>::max())}});
      } else {
        add(facts, {{"type", "number"}, {"minimum", facts.limits.least}, {"maximum", most}});
      }
    }
  }
  template <class T>
  void operator()(const SettingFacts& facts, const std::optional<T>& /*value*/) const {
    (*this)(facts, T());
  }
  void add(const SettingFacts& facts, ordered_json schema) const {
    const std::string letter = facts.value_name;
    const std::string meaning = letter.empty() ? "" : " " + letter + " is this value.";
    schema["description"] = with_fields(sentences_of(facts)) + meaning;
    properties_[facts.name] = std::move(schema);
  }

 private:
  ordered_json& properties_;
};

/// Returns the names of all fields that an object may have. Made once, as each request asks for them.
const std::vector<std::string>& request_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    const ordered_json properties = request_schema();
    for (const auto& [name, schema] : properties.items()) names.push_back(name);
    return names;
  }();
  return all;
}

/// Returns the utility that a request names, if any: that of a metric, or the one of the command line if a
/// model computes it with references.
std::shared_ptr<const Utility> take_utility(const Fields& fields, const std::optional<MinimumRisk>& usual) {
  const auto& of_models = model_metric_names();
  const auto asked =
      std::ranges::find_if(of_models, [&](const auto& name) { return fields.is(kMbr.name, name); });
  if (asked == of_models.end()) {
    const std::optional<std::string> name = fields.one_of(kMbr.name, utility_names());
    return name ? metric_utility(*name) : nullptr;
  }
  const auto* const known = dynamic_cast<const JudgedUtility*>(usual ? usual->utility.get() : nullptr);
  if (known != nullptr && known->compares_by(*asked)) return usual->utility;
  if (fields.requester() == Requester::client)
    throw UsageError("'mbr': {} needs a model, which a server does not have; choose one of {}", *asked,
                     join(utility_names(), ", "));
  throw UsageError(
      "'mbr': {0} needs a model, which the command line names: --mbr {0} --{0} MODEL; or choose one of {1}",
      *asked, join(utility_names(), ", "));
}

/// Reads how many translations are wanted, and how they are chosen.
WantedTranslations take_choice(const Fields& fields, TranslationRequest& request) {
  std::optional<MinimumRisk>& risk = request.minimum_risk;
  WantedTranslations wanted{.n_best = risk ? risk->n_best : request.search->n_best};
  if (risk) wanted.candidates = risk->candidates;
  fields(kNBest, wanted.n_best);
  if (fields.has(kCandidates.name)) fields(kCandidates, wanted.candidates.emplace());
  if (std::shared_ptr<const Utility> utility = take_utility(fields, risk)) {
    risk = {.utility = std::move(utility)};
    request.reference.reset();  // it was for another choice
  }
  wanted.are_chosen = risk.has_value();
  if (!risk) return wanted;
  risk->n_best = wanted.n_best;
  risk->candidates = wanted.candidates;
  return wanted;
}

/// Reads whether translations are drawn at random, and how.
void take_sampling(const Fields& fields, SearchSettings& search) {
  bool is_on = search.sampling.has_value();
  fields(kSample, is_on);
  SamplingSettings sampling = search.sampling.value_or(SamplingSettings{});
  each_sampling_setting(fields, sampling);
  search.sampling = is_on ? std::optional(sampling) : std::nullopt;
}

/// Reads a glossary. One without terms is null.
void take_glossary(const Fields& fields, std::shared_ptr<const Glossary>& target) {
  if (!fields.has("glossary")) return;
  std::vector<Term> terms = terms_in(fields.value("glossary"), "'glossary'");
  if (fields.requester() == Requester::client && terms.size() > kMostTermsOfRequest)
    throw UsageError("'glossary' has {} terms; a request has at most {}", terms.size(), kMostTermsOfRequest);
  target =
      terms.empty() ? nullptr : std::make_shared<const Glossary>(std::move(terms), TermNames{"'glossary'"});
}

/// Throws UsageError if a field has a phrase without words.
void check_phrases(const char* name, const Alternatives& phrases) {
  if (std::ranges::any_of(phrases, [](const std::string& phrase) { return words_in(phrase).empty(); }))
    throw UsageError("'{}' has an empty text; leave it out", name);
}

/// Reads the rules for parts that are copied unchanged; an empty list means that nothing is.
void take_rules(const Fields& fields, std::shared_ptr<const KeepRules>& target) {
  if (!fields.has("keep")) return;
  std::vector<std::string> rules;
  fields.texts("keep", rules);
  target = rules.empty() ? nullptr : std::make_shared<const KeepRules>(rules);
}

std::string quoted_name(const std::string& name) {
  return "'" + name + "'";
}

/// Whether the value of a setting asks for something: not null, false, an empty list, or no context.
bool asks(const std::string& name, const json& value) {
  if (name == kContext.name) return value != 0;
  return value != false && !value.is_null() && !(value.is_array() && value.empty());
}

/// Returns the settings that an object names, and the choices that the request has made before.
AskedSettings asked_of(const json& object, const SearchSettings& search, bool has_risk) {
  AskedSettings asked{.names = {}, .called = quoted_name};
  for (const auto& [name, value] : object.items()) {
    if (asks(name, value) && name != "glossary") asked.names.insert(name);  // see settle_for_terms()
  }
  if (search.sampling) asked.names.insert("sample");
  if (search.alternatives) asked.names.insert("alternatives");
  if (has_risk) asked.names.insert("mbr");
  return asked;
}

}  // namespace

ordered_json request_schema() {
  ordered_json properties = ordered_json::parse(kOtherFields);
  const SchemaWriter write(properties);
  write({.name = "too_long",
         .value_name = "",
         .help = "what becomes of a sentence that has too many tokens",
         .detail = "it is translated in parts, without its end, or not at all"},
        TooLong());
  write(kContext, 0);
  write(kNBest, 1);
  write(kDistinct, false);
  write(kAlternatives, false);
  write.add(kMbr, {{"type", "string"}, {"enum", utility_names()}});
  write(kCandidates, 1);
  const SearchSettings search;
  each_search_setting(write, search);
  write(kSample, false);
  const SamplingSettings sampling;
  each_sampling_setting(write, sampling);
  return properties;
}

void check_names(const json& object, const std::vector<std::string>& others) {
  if (!object.is_object()) throw UsageError("a request is a JSON object, such as {{\"text\": \"...\"}}");
  std::vector<std::string> known = request_names();
  std::ranges::copy(others, std::back_inserter(known));
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::count(known, name) > 0) continue;
    if (others.empty() && std::ranges::count(kOfServer, name) > 0) {
      throw UsageError(
          "unknown field {}; the text is 'text', and all texts have the `model`, the `source_language` and "
          "the "
          "`target_language` of the command line",
          quoted(name));
    }
    const bool is_text = std::ranges::count(kNamesOfText, name) > 0;
    const std::string meant =
        is_text ? ", did you mean 'text'?" : with_fields(did_you_mean_setting(name, known));
    throw UsageError("unknown field {}{}", quoted(name),
                     meant.empty() ? fmt::format(" (a request has {})", join(known, ", ")) : meant);
  }
}

void take_settings(const json& object, TranslationRequest& request, Requester requester) {
  const Fields fields(object, requester);
  fields.text("prefix", request.prefix);
  fields.alternatives("constraints", request.constraints);
  for (const Alternatives& alternatives : request.constraints) check_phrases("constraints", alternatives);
  std::vector<std::string> avoid;
  fields.texts("avoid", avoid);
  check_phrases("avoid", avoid);
  if (!avoid.empty()) request.avoid = shared_phrases(std::move(avoid));
  take_glossary(fields, request.glossary);
  auto search = std::make_shared<SearchSettings>(*request.search);
  each_search_setting(fields, *search);
  fields(kDistinct, search->distinct);
  fields.truth("markup", request.has_markup);
  take_rules(fields, request.keep);
  fields.truth("replace_unknown", request.replace_unknown);
  fields.named("too_long", request.too_long);
  fields(kContext, request.context.most);
  fields(kAlternatives, search->alternatives);
  take_sampling(fields, *search);
  const WantedTranslations wanted = take_choice(fields, request);
  const AskedSettings asked = asked_of(object, *search, wanted.are_chosen);
  const SearchSettings before = *search;
  request.notices = settle(asked, wanted, !request.constraints.empty(), *search);
  request.search = std::move(search);
  request.search_of_terms =
      request.glossary
          ? std::make_shared<const SearchSettings>(settle_for_terms(asked, wanted, before, request.notices))
          : nullptr;
}

void take_request(const json& object, TranslationRequest& request) {
  check_names(object);
  const Fields fields(object);
  if (!fields.has("text")) throw UsageError("'text' is missing; it is the text to translate");
  fields.text("text", request.text);
  take_settings(object, request);
}

void take_request(std::string_view object, TranslationRequest& request) {
  if (object.size() > kLongestRequest)
    throw UsageError("a request has at most {} MiB; shorten it", kLongestRequest >> 20);
  try {
    take_request(plain_json(object, "a request", kDeepest), request);
  } catch (const json::parse_error& error) {
    throw UsageError("invalid JSON {}; a request is an object such as {{\"text\": \"...\"}}",
                     json_fault(object, error));
  } catch (const json::out_of_range& error) {
    throw UsageError("{}", json_fault(error));
  }
}

void check_right_to_left(const TranslationRequest& request, const std::string& model) {
  AskedSettings asked{.names = {}, .called = quoted_name};
  if (!request.prefix.empty()) asked.names.insert("prefix");
  if (!request.constraints.empty()) asked.names.insert("constraints");
  if (request.glossary) asked.names.insert("glossary");
  if (request.avoid) asked.names.insert("avoid");
  if (request.search->alternatives) asked.names.insert("alternatives");
  check_right_to_left(asked, model);
}

}  // namespace nmt
