#include "serve/glossary_store.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/io/atomic_file.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "common/text/parsed_json.h"
#include "common/text/pattern.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"
#include "engine/json_terms.h"
#include "serve/call_error.h"
#include "serve/random_id.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kFormat = "nmt.glossary";

bool is_id(const std::string& text) {
  static const Pattern kId("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  return kId.matches(text);
}

std::size_t terms_of(const std::vector<Dictionary>& dictionaries) {
  std::size_t terms = 0;
  for (const Dictionary& each : dictionaries) terms += each.terms->terms().size();
  return terms;
}

/// Throws UsageError for an invalid name or invalid languages.
void check(const std::string& name, const std::vector<Dictionary>& dictionaries,
           std::size_t most_characters) {
  if (name.empty() || characters_in(name) > most_characters)
    throw UsageError("the name of a glossary has from 1 to {} characters", most_characters);
  if (dictionaries.empty()) throw UsageError("a glossary has at least one dictionary");
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& [pair, terms] : dictionaries) {
    if (pair.source.empty() != pair.target.empty())
      throw UsageError("a dictionary has both languages, or none");
    if (!pairs.emplace(pair.source, pair.target).second)
      throw UsageError("two dictionaries are from {} to {}; join them", quoted(pair.source),
                       quoted(pair.target));
  }
}

std::string text_of_file(const StoredGlossary& glossary) {
  ordered_json dictionaries = ordered_json::array();
  for (const auto& [pair, terms] : glossary.dictionaries) {
    dictionaries.push_back(
        {{"source", pair.source}, {"target", pair.target}, {"terms", json_of(terms->terms())}});
  }
  const ordered_json file = {{"format", kFormat},
                             {"owner", glossary.owner},
                             {"name", glossary.name},
                             {"created", glossary.created},
                             {"dictionaries", std::move(dictionaries)}};
  return file.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

/// Reads the glossary of a file. Throws Error, or an exception of the JSON library if it has another form.
StoredGlossaryPtr glossary_of_file(const std::string& path, std::string id) {
  const json file = parsed_json(map_file(path).copy(), path);
  if (file.at("format") != kFormat) throw Error("'{}' is not a glossary", path);
  StoredGlossary glossary{.id = std::move(id),
                          .owner = file.at("owner").get<std::string>(),
                          .name = file.at("name").get<std::string>(),
                          .created = file.at("created").get<std::string>(),
                          .dictionaries = {}};
  for (const json& each : file.at("dictionaries")) {
    glossary.dictionaries.push_back(
        {.pair = {each.at("source").get<std::string>(), each.at("target").get<std::string>()},
         .terms = std::make_shared<const Glossary>(terms_in(each.at("terms"), quoted(path)),
                                                   TermNames{.whole = quoted(path)})});
  }
  return std::make_shared<const StoredGlossary>(std::move(glossary));
}

}  // namespace

std::shared_ptr<const Glossary> StoredGlossary::terms_for(
    const std::function<bool(const Languages& pair)>& fits) const {
  auto found = std::ranges::find_if(dictionaries, fits, &Dictionary::pair);
  if (found == dictionaries.end())
    found =
        std::ranges::find_if(dictionaries, [](const Dictionary& each) { return each.pair.target.empty(); });
  return found == dictionaries.end() ? nullptr : found->terms;
}

std::string owner_of(const ApiClient* client) {
  return client == nullptr ? "" : fmt::format("{:02x}", fmt::join(client->key_hash, ""));
}

GlossaryStore::GlossaryStore(std::string folder, Log& log, GlossaryLimits limits)
    : folder_(std::move(folder)), log_(log), limits_(limits) {
  std::error_code error;
  fs::create_directory(folder_, error);
  if (error) throw Error("cannot make the folder '{}': {}", folder_, error.message());
  if (::access(folder_.c_str(), R_OK | W_OK | X_OK) != 0)
    throw Error("cannot store glossaries in '{}': {}", folder_, system_message(errno));
  glossaries_ = read();
}

std::map<std::string, StoredGlossaryPtr> GlossaryStore::read() const {
  std::map<std::string, StoredGlossaryPtr> glossaries;
  for (const std::string& path : entries_of(folder_)) {
    const fs::path file(path);
    const std::string id = file.stem();
    if (file.extension() != ".json" || !is_id(id)) continue;
    try {
      glossaries[id] = glossary_of_file(path, id);
    } catch (const json::exception&) {
      log_.warning("the glossary '{}' is left out: it lacks a part, or has one of another type", path);
    } catch (const Error& error) {
      log_.warning("the glossary '{}' is left out: {}", path, error.what());
    }
  }
  return glossaries;
}

void GlossaryStore::reload() {
  const std::lock_guard lock(mutex_);
  glossaries_ = read();
}

StoredGlossaryPtr GlossaryStore::put(StoredGlossary glossary) {
  check(glossary.name, glossary.dictionaries, limits_.name_characters);
  std::size_t glossaries = 1, terms = terms_of(glossary.dictionaries);
  for (const auto& [id, each] : glossaries_) {
    if (each->owner != glossary.owner || id == glossary.id) continue;
    ++glossaries;
    terms += terms_of(each->dictionaries);
  }
  if (glossaries > limits_.glossaries)
    throw CallError(413, "there are {} glossaries already; delete one", limits_.glossaries);
  if (terms > limits_.terms) {
    throw CallError(413,
                    "all glossaries together would have {} terms, but at most {} are stored; delete some",
                    terms, limits_.terms);
  }
  try {
    write_file(path_of(glossary.id), text_of_file(glossary));
  } catch (const Error& error) {
    log_.warning("a glossary is not stored: {}", error.what());
    throw CallError(507, "the server cannot store the glossary; ask its operator, whose log says why");
  }
  auto stored = std::make_shared<const StoredGlossary>(std::move(glossary));
  return glossaries_[stored->id] = stored;
}

StoredGlossaryPtr GlossaryStore::add(const std::string& owner, const std::string& name,
                                     std::vector<Dictionary> dictionaries) {
  const std::lock_guard lock(mutex_);
  return put({.id = random_id(),
              .owner = owner,
              .name = name,
              .created = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))),
              .dictionaries = std::move(dictionaries)});
}

StoredGlossaryPtr GlossaryStore::replace(const std::string& owner, const std::string& id,
                                         const std::string& name, std::vector<Dictionary> dictionaries) {
  const std::lock_guard lock(mutex_);
  StoredGlossary changed = *found(owner, id);
  changed.name = name;
  changed.dictionaries = std::move(dictionaries);
  return put(std::move(changed));
}

void GlossaryStore::remove(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  found(owner, id);
  const std::string path = path_of(id);
  std::error_code error;
  fs::remove(path, error);
  if (error) throw Error("cannot remove '{}': {}", path, error.message());
  sync_folder(folder_);
  glossaries_.erase(id);
}

const StoredGlossaryPtr& GlossaryStore::found(const std::string& owner, const std::string& id) const {
  const auto glossary = glossaries_.find(id);
  if (glossary == glossaries_.end() || glossary->second->owner != owner)
    throw CallError(404, "unknown glossary {}", quoted(id));
  return glossary->second;
}

StoredGlossaryPtr GlossaryStore::find(const std::string& owner, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return found(owner, id);
}

std::vector<StoredGlossaryPtr> GlossaryStore::list(const std::string& owner) const {
  std::vector<StoredGlossaryPtr> glossaries;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, each] : glossaries_) {
      if (each->owner == owner) glossaries.push_back(each);
    }
  }
  std::ranges::stable_sort(glossaries, {},
                           [](const StoredGlossaryPtr& each) { return std::tie(each->created, each->id); });
  return glossaries;
}

}  // namespace nmt
