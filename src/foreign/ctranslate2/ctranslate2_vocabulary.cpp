#include "foreign/ctranslate2/ctranslate2_vocabulary.h"

#include <optional>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

std::optional<ListedTokens> find_list(const Package& package, const std::string& side) {
  for (const char* end : {".json", ".txt"}) {
    const std::string name = side + "_vocabulary" + end;
    if (package.has(name))
      return ListedTokens{package.shown(name), word_list_from(package.map(name).copy(), package.shown(name))};
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
