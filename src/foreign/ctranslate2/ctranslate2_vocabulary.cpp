#include "foreign/ctranslate2/ctranslate2_vocabulary.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/text/parsed_json.h"

namespace nmt {
namespace {

/// Returns a list in which repeated sentinels of T5, which fill up its rows, are without text: only the first
/// counts, as in CTranslate2.
std::string without_repetitions(std::string bytes, const std::string& name) {
  if (!name.ends_with(".json") || bytes.find("<extra_id_") == bytes.npos) return bytes;
  nlohmann::json list = parsed_json(bytes, name);
  if (!list.is_array()) return bytes;
  std::set<std::string> known;
  for (nlohmann::json& token : list) {
    if (token.is_string() && !known.insert(token.get<std::string>()).second) token = "";
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<ListedTokens> find_list(const Package& package, const std::string& side) {
  for (const char* end : {".json", ".txt"}) {
    const std::string name = side + "_vocabulary" + end;
    if (!package.has(name)) continue;
    const std::string shown = package.shown(name);
    return ListedTokens{shown, word_list_from(without_repetitions(package.map(name).copy(), shown), shown)};
  }
  return std::nullopt;
}

ListedTokens list_in(const Package& package, const std::string& side) {
  if (auto list = find_list(package, side)) return std::move(*list);
  throw Error("'{}' has no {}_vocabulary.json or .txt, nor a shared_vocabulary; copy all files of the model",
              package.path(), side);
}

}  // namespace

TokenLists read_ctranslate2_lists(const Package& package) {
  TokenLists lists;
  if (auto shared = find_list(package, "shared")) {
    lists.source = lists.target = std::move(*shared);
  } else {
    if (find_list(package, "source_1"))
      throw Error("'{}' cannot be opened: it has more than one input, which nmt does not support",
                  package.path());
    lists.target = list_in(package, "target");
    lists.source = list_in(package, "source");
  }
  return lists;
}

}  // namespace nmt
