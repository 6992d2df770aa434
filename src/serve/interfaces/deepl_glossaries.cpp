// Glossaries by DeepL's interface: of one pair of languages each in version 2, of several in version 3.
#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/join.hpp>
#include <map>
#include <set>

#include "common/text/spelling.h"
#include "serve/interfaces/deepl_requests.h"
#include "serve/interfaces/interfaces.h"
#include "serve/routes.h"
#include "serve/translation_server.h"

namespace nmt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

GlossaryStore& store_of(const Call& call) {
  GlossaryStore* const store = call.server().glossaries();
  if (store == nullptr) {
    throw CallError(404,
                    "this server stores no glossaries; its operator can name a folder with --glossaries");
  }
  return *store;
}

/// Returns the glossary that the path names.
StoredGlossaryPtr glossary_of_path(const Call& call) {
  return store_of(call).find(call.owner(), std::string(segment_of(call.request().path, 2)));
}

/// Returns the rows of CSV text (RFC 4180), with the fields of each. Throws CallError for a quote that does
/// not end.
std::vector<std::vector<std::string>> rows_of_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::size_t i = 0;
  while (i < text.size()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (bool continues = true; continues;) {
      std::string& field = row.emplace_back();
      if (i < text.size() && text[i] == '"') {
        for (++i; i < text.size() && (text[i] != '"' || text.substr(i).starts_with("\"\"")); ++i) {
          field += text[i];
          if (text[i] == '"') ++i;
        }
        if (i == text.size()) throw CallError(400, "Invalid glossary entries provided: a quote does not end");
        ++i;
      }
      const std::size_t end = std::min(text.find_first_of(",\n", i), text.size());
      field += text.substr(i, end - i);
      continues = end < text.size() && text[end] == ',';
      i = end + 1;
    }
    if (row.back().ends_with('\r')) row.back().pop_back();
  }
  return rows;
}

std::vector<std::vector<std::string>> rows_of_tsv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      row.emplace_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return rows;
}

/// Returns the terms of a dictionary in a request. The languages in rows of CSV files from DeepL's site must
/// be those of the dictionary; other rows are left out, as by DeepL.
std::vector<Term> terms_of_entries(const json& dictionary) {
  const std::string entries = deepl_text(dictionary, "entries");
  const std::string format = deepl_text(dictionary, "entries_format");
  if (format != "tsv" && format != "csv") refuse_deepl_value("entries_format");
  const std::string source = deepl_source_code(dictionary["source_lang"].get<std::string>()),
                    target = deepl_source_code(dictionary["target_lang"].get<std::string>());
  std::vector<Term> terms;
  std::size_t number = 0;
  for (const std::vector<std::string>& row : format == "csv" ? rows_of_csv(entries) : rows_of_tsv(entries)) {
    ++number;
    if (row.size() == 1 && row[0].empty()) continue;
    if (row.size() < 2 || row[1].empty())
      throw CallError(400, "Invalid glossary entries provided: entry {} has no target", number);
    if (format == "tsv" && row.size() > 2)
      throw CallError(400, "Invalid glossary entries provided: entry {} has more than two fields", number);
    if ((row[0] + row[1]).find_first_of("\t\r\n") != std::string::npos)
      throw CallError(400, "Invalid glossary entries provided: entry {} has a tab or a line end", number);
    const bool is_other =
        row.size() >= 4 && (deepl_source_code(row[2]) != source || deepl_source_code(row[3]) != target);
    if (!is_other) terms.push_back({.source = row[0], .targets = {row[1]}});
  }
  if (terms.empty()) throw CallError(400, "Invalid glossary entries provided: there are none");
  return terms;
}

std::string lower_code(const std::string& code) {
  return boost::algorithm::to_lower_copy(deepl_source_code(code));
}

/// Returns the pairs of languages that the server translates, without scripts and countries.
std::set<std::pair<std::string, std::string>> pairs_of(const Call& call) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& [source, targets] : call.server().pairs().targets()) {
    for (const auto& [target, path] : targets) pairs.emplace(lower_code(source), lower_code(target));
  }
  return pairs;
}

/// Returns the languages of a dictionary, without scripts and countries. Throws CallError if the server does
/// not translate them.
Languages pair_of(const Call& call, const json& dictionary) {
  const Languages pair = {lower_code(deepl_text(dictionary, "source_lang")),
                          lower_code(deepl_text(dictionary, "target_lang"))};
  if (!pairs_of(call).contains({pair.source, pair.target}))
    throw CallError(400, "Unsupported glossary source and target language pair");
  return pair;
}

Dictionary dictionary_of(const Call& call, const json& dictionary) {
  const Languages pair = pair_of(call, dictionary);
  return {.pair = pair, .terms = std::make_shared<const Glossary>(terms_of_entries(dictionary))};
}

std::vector<Dictionary> dictionaries_of(const Call& call, const json& values) {
  const json list = values.value("dictionaries", json::array());
  if (!list.is_array()) refuse_deepl_value("dictionaries");
  std::vector<Dictionary> dictionaries;
  for (const json& each : list) dictionaries.push_back(dictionary_of(call, each));
  return dictionaries;
}

/// Returns the terms of a dictionary as TSV. The alternatives of a term are separated by |.
std::string tsv_of(const Dictionary& dictionary) {
  std::string text;
  for (const Term& term : dictionary.terms->terms()) {
    if (!text.empty()) text += '\n';
    text += term.source + '\t' + boost::algorithm::join(term.targets, "|");
  }
  return text;
}

ordered_json json_of_pair(const Languages& pair) {
  return {{"source_lang", lower_code(pair.source)}, {"target_lang", lower_code(pair.target)}};
}

ordered_json json_of_dictionary(const Dictionary& dictionary) {
  ordered_json object = json_of_pair(dictionary.pair);
  object["entry_count"] = dictionary.terms->terms().size();
  return object;
}

/// Returns the time at which a glossary was stored, "2026-11-30T12:00:00.000Z", with the fraction of a second
/// that DeepL's clients expect.
std::string creation_time(const StoredGlossary& glossary) {
  return glossary.created.substr(0, glossary.created.find('Z')) + ".000Z";
}

/// Version 2 knows glossaries of one pair of languages only.
bool is_of_version_2(const StoredGlossary& glossary) {
  return glossary.dictionaries.size() == 1 && !glossary.dictionaries[0].pair.target.empty();
}

ordered_json json_of_version_2(const StoredGlossary& glossary) {
  ordered_json object = {{"glossary_id", glossary.id}, {"name", glossary.name}, {"ready", true}};
  object.update(json_of_dictionary(glossary.dictionaries[0]));
  object["creation_time"] = creation_time(glossary);
  return object;
}

ordered_json json_of_version_3(const StoredGlossary& glossary) {
  ordered_json dictionaries = ordered_json::array();
  for (const Dictionary& each : glossary.dictionaries) {
    if (!each.pair.target.empty()) dictionaries.push_back(json_of_dictionary(each));
  }
  return {{"glossary_id", glossary.id},
          {"name", glossary.name},
          {"dictionaries", std::move(dictionaries)},
          {"creation_time", creation_time(glossary)}};
}

/// Returns the glossary of version 2 that the path names. Throws CallError (404) for others.
StoredGlossaryPtr glossary_of_version_2(const Call& call) {
  StoredGlossaryPtr glossary = glossary_of_path(call);
  if (!is_of_version_2(*glossary))
    throw CallError(404, "glossary {} has several dictionaries; use /v3/glossaries", glossary->id);
  return glossary;
}

/// Returns the dictionary for languages without scripts and countries; the end if there is none.
std::vector<Dictionary>::iterator dictionary_in(std::vector<Dictionary>& dictionaries,
                                                const Languages& pair) {
  return std::ranges::find_if(dictionaries, [&pair](const Dictionary& each) {
    return lower_code(each.pair.source) == pair.source && lower_code(each.pair.target) == pair.target;
  });
}

/// Returns a dictionary with the terms of two, of which the second one prevails.
Dictionary merged(const Dictionary& before, const Dictionary& more) {
  std::set<std::string> replaced;
  for (const Term& term : more.terms->terms()) replaced.insert(term.source);
  std::vector<Term> terms;
  std::ranges::copy_if(before.terms->terms(), std::back_inserter(terms),
                       [&](const Term& term) { return !replaced.contains(term.source); });
  std::ranges::copy(more.terms->terms(), std::back_inserter(terms));
  return {.pair = more.pair, .terms = std::make_shared<const Glossary>(std::move(terms))};
}

void answer_list(Call& call, ordered_json (*json_of_glossary)(const StoredGlossary&),
                 bool (*is_listed)(const StoredGlossary&)) {
  deepl_values(call);
  ordered_json glossaries = ordered_json::array();
  for (const StoredGlossaryPtr& glossary : store_of(call).list(call.owner())) {
    if (is_listed(*glossary)) glossaries.push_back(json_of_glossary(*glossary));
  }
  call.answer(json_response({{"glossaries", std::move(glossaries)}}));
}

}  // namespace

void answer_deepl_glossary_pairs(Call& call) {
  deepl_values(call);
  ordered_json list = ordered_json::array();
  for (const auto& [source, target] : pairs_of(call))
    list.push_back({{"source_lang", source}, {"target_lang", target}});
  call.answer(json_response({{"supported_languages", std::move(list)}}));
}

void answer_deepl_v2_glossaries(Call& call) {
  answer_list(call, json_of_version_2, is_of_version_2);
}

void answer_deepl_v3_glossaries(Call& call) {
  answer_list(call, json_of_version_3, [](const StoredGlossary&) { return true; });
}

void answer_deepl_v2_new_glossary(Call& call) {
  const json values = deepl_values(call);
  GlossaryStore& store = store_of(call);
  const std::string name = deepl_text(values, "name");
  call.answer(
      json_response(json_of_version_2(*store.add(call.owner(), name, {dictionary_of(call, values)})), 201));
}

void answer_deepl_v3_new_glossary(Call& call) {
  const json values = deepl_values(call);
  GlossaryStore& store = store_of(call);
  const std::string name = deepl_text(values, "name");
  call.answer(
      json_response(json_of_version_3(*store.add(call.owner(), name, dictionaries_of(call, values))), 201));
}

void answer_deepl_v2_glossary(Call& call) {
  deepl_values(call);
  call.answer(json_response(json_of_version_2(*glossary_of_version_2(call))));
}

void answer_deepl_v3_glossary(Call& call) {
  deepl_values(call);
  call.answer(json_response(json_of_version_3(*glossary_of_path(call))));
}

void answer_deepl_glossary_removal(Call& call) {
  deepl_values(call);
  store_of(call).remove(call.owner(), std::string(segment_of(call.request().path, 2)));
  call.answer({.status = 204});
}

void answer_deepl_v2_entries(Call& call) {
  deepl_values(call);
  call.answer({.type = "text/tab-separated-values; charset=utf-8",
               .body = tsv_of(glossary_of_version_2(call)->dictionaries[0])});
}

void answer_deepl_v3_entries(Call& call) {
  const json values = deepl_values(call);
  const Languages pair = pair_of(call, values);
  std::vector<Dictionary> dictionaries = glossary_of_path(call)->dictionaries;
  const auto found = dictionary_in(dictionaries, pair);
  if (found == dictionaries.end()) throw CallError(404, "Dictionary not found");
  ordered_json object = json_of_pair(pair);
  object["entries"] = tsv_of(*found);
  object["entries_format"] = "tsv";
  call.answer(json_response({{"dictionaries", ordered_json::array({std::move(object)})}}));
}

void answer_deepl_v3_change(Call& call) {
  const json values = deepl_values(call);
  const StoredGlossaryPtr glossary = glossary_of_path(call);
  std::vector<Dictionary> dictionaries = glossary->dictionaries;
  for (const Dictionary& more : dictionaries_of(call, values)) {
    const auto before = dictionary_in(dictionaries, more.pair);
    if (before == dictionaries.end()) {
      dictionaries.push_back(more);
    } else {
      *before = merged(*before, more);
    }
  }
  const std::string name = values.contains("name") ? deepl_text(values, "name") : glossary->name;
  call.answer(json_response(
      json_of_version_3(*store_of(call).replace(call.owner(), glossary->id, name, std::move(dictionaries)))));
}

void answer_deepl_v3_dictionary(Call& call) {
  const json values = deepl_values(call);
  const StoredGlossaryPtr glossary = glossary_of_path(call);
  const Dictionary dictionary = dictionary_of(call, values);
  std::vector<Dictionary> dictionaries = glossary->dictionaries;
  if (const auto before = dictionary_in(dictionaries, dictionary.pair); before != dictionaries.end())
    dictionaries.erase(before);
  dictionaries.push_back(dictionary);
  store_of(call).replace(call.owner(), glossary->id, glossary->name, std::move(dictionaries));
  call.answer(json_response(json_of_dictionary(dictionary)));
}

void answer_deepl_v3_dictionary_removal(Call& call) {
  const json values = deepl_values(call);
  const StoredGlossaryPtr glossary = glossary_of_path(call);
  const Languages pair = pair_of(call, values);
  std::vector<Dictionary> dictionaries = glossary->dictionaries;
  const auto found = dictionary_in(dictionaries, pair);
  if (found == dictionaries.end()) throw CallError(404, "Dictionary not found");
  dictionaries.erase(found);
  if (dictionaries.empty()) {
    store_of(call).remove(call.owner(), glossary->id);
  } else {
    store_of(call).replace(call.owner(), glossary->id, glossary->name, std::move(dictionaries));
  }
  call.answer({.status = 204});
}

}  // namespace nmt
