#include "data/vocabulary/listed/listed_file.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/text/lines.h"
#include "data/vocabulary/listed/word_list.h"
#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

NLOHMANN_JSON_SERIALIZE_ENUM(LanguageUse::Source, {{LanguageUse::Source::none, "none"},
                                                   {LanguageUse::Source::target_before, "target_before"},
                                                   {LanguageUse::Source::own_before, "own_before"},
                                                   {LanguageUse::Source::own_at_end, "own_at_end"}})
NLOHMANN_JSON_SERIALIZE_ENUM(LanguageUse::Target, {{LanguageUse::Target::none, "none"},
                                                   {LanguageUse::Target::first, "first"},
                                                   {LanguageUse::Target::begin, "begin"}})

namespace {

using nlohmann::json;

// Bytes of the line of facts, enough for a hundred thousand added tokens.
constexpr std::size_t kMostFacts = std::size_t{1} << 20;

/// Returns the line of facts; facts with their default values are left out.
json facts_of(const ListedFile& file) {
  const auto& [end, unknown, begin, special, added, rows, languages, normalizes, begins_with_languages,
               spells_special, moses] = file.facts;
  json facts = {{"end", end}, {"unknown", unknown}, {"words", file.words.size()}};
  if (begin) facts["begin"] = *begin;
  if (!special.empty()) facts["special"] = special;
  if (!added.empty()) facts["added"] = added;
  if (rows > 0) facts["rows"] = rows;
  if (normalizes) facts["normalization"] = "opus";
  if (begins_with_languages) facts["begins_with_languages"] = true;
  if (spells_special) facts["spells_special"] = true;
  if (!file.sentencepiece.empty()) facts["sentencepiece"] = file.sentencepiece.size();
  if (!file.merges.empty()) facts["merges"] = file.merges.size();
  if (!file.truecaser.empty()) facts["truecaser"] = file.truecaser.size();
  if (moses) {
    facts["moses"] = {{"language", moses->language},
                      {"normalize", moses->normalizes},
                      {"hyphens", moses->hyphens},
                      {"escape", moses->escapes},
                      {"detruecase", moses->detruecases}};
    if (!moses->normalizes_marks) facts["moses"]["marks"] = false;
    if (moses->is_fsmt) facts["moses"]["fsmt"] = true;
    if (moses->lowers) facts["moses"]["lower_case"] = true;
  }
  if (!languages.tokens.empty()) {
    facts["languages"] = languages.tokens;
    facts["source_language"] = languages.source;
    facts["target_language"] = languages.target;
  }
  return facts;
}

ListFacts list_facts(const json& facts) {
  ListFacts list{.end = whole_number(facts.at("end")), .unknown = whole_number(facts.at("unknown"))};
  if (facts.contains("begin")) list.begin = whole_number(facts["begin"]);
  if (facts.contains("rows")) list.rows = whole_number(facts["rows"]);
  if (facts.contains("special")) {
    for (const json& id : facts["special"]) list.special.push_back(whole_number(id));
  }
  if (facts.contains("added")) {
    for (const json& id : facts["added"]) list.added.push_back(whole_number(id));
  }
  list.normalizes = facts.contains("normalization");
  list.begins_with_languages = facts.contains("begins_with_languages");
  list.spells_special = facts.contains("spells_special");
  if (facts.contains("moses")) {
    const json& moses = facts["moses"];
    list.moses = {.language = moses.at("language"),
                  .normalizes = moses.at("normalize"),
                  .normalizes_marks = moses.value("marks", true),
                  .hyphens = moses.at("hyphens"),
                  .escapes = moses.at("escape"),
                  .detruecases = moses.at("detruecase"),
                  .is_fsmt = moses.value("fsmt", false),
                  .lowers = moses.value("lower_case", false)};
  }
  if (facts.contains("languages")) {
    for (const auto& [code, id] : facts["languages"].items()) list.languages.tokens[code] = whole_number(id);
    list.languages.source = facts.at("source_language");
    list.languages.target = facts.at("target_language");
  }
  return list;
}

/// Escapes a word for a line of its own.
std::string escaped(const std::string& word) {
  std::string text;
  for (const char c : word) text += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return text;
}

std::string unescaped(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      word += text[i];
    } else {
      word += text[++i] == 'n' ? '\n' : text[i];
    }
  }
  return word;
}

/// Takes as many bytes as the facts say for a part, or the rest if fewer are left.
std::string take_part(std::string_view& text, const json& facts, const char* part) {
  const int bytes = facts.contains(part) ? whole_number(facts[part]) : 0;
  std::string taken(text.substr(0, static_cast<std::size_t>(bytes)));
  text.remove_prefix(taken.size());
  return taken;
}

}  // namespace

std::string bytes_of(const ListedFile& file) {
  std::string bytes = vocabulary_header(file.kind);
  bytes += facts_of(file).dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  bytes += file.sentencepiece + file.merges + file.truecaser;
  for (const std::string& word : file.words) bytes += escaped(word) + '\n';
  return bytes;
}

ListedFile parse_listed_file(const std::string& bytes) {
  ListedFile file;
  std::string_view rest = bytes;
  const std::string_view header = take_line(rest), facts = take_line(rest);
  file.kind = header.substr(std::min(header.find(' ') + 1, header.size()));
  if (facts.size() > kMostFacts) throw Error("it has too many special tokens, added tokens or languages");
  try {
    const json parsed = json::parse(facts);
    file.facts = list_facts(parsed);
    file.sentencepiece = take_part(rest, parsed, "sentencepiece");
    file.merges = take_part(rest, parsed, "merges");
    file.truecaser = take_part(rest, parsed, "truecaser");
  } catch (const json::exception&) {
    throw Error("its second line is not valid JSON about the vocabulary");
  }
  while (!rest.empty()) file.words.push_back(unescaped(take_line(rest)));
  // Ensures that nothing was skipped, such as a fact of a later version or a truncated word.
  if (bytes_of(file) != bytes) throw Error("it is not in the form that this version of nmt writes");
  return file;
}

}  // namespace nmt
