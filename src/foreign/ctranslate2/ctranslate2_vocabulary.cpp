#include "foreign/ctranslate2/ctranslate2_vocabulary.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> bytes_of_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  return map_file(path.string()).copy();
}

std::optional<ListedTokens> find_list(const std::string& folder, const std::string& side) {
  for (const char* end : {".json", ".txt"}) {
    const std::string path = (fs::path(folder) / (side + "_vocabulary" + end)).string();
    if (const auto bytes = bytes_of_file(path)) return ListedTokens{path, word_list_from(*bytes, path)};
  }
  return std::nullopt;
}

ListedTokens list_in(const std::string& folder, const std::string& side) {
  if (auto list = find_list(folder, side)) return std::move(*list);
  throw Error("'{}' has no {}_vocabulary.json or .txt, nor a shared_vocabulary; copy all files of the model",
              folder, side);
}

}  // namespace

TokenLists read_ctranslate2_lists(const std::string& folder) {
  TokenLists lists;
  if (auto shared = find_list(folder, "shared")) {
    lists.source = lists.target = std::move(*shared);
  } else {
    if (find_list(folder, "source_1"))
      throw Error("'{}' cannot be opened: it has more than one input, which nmt does not support", folder);
    lists.target = list_in(folder, "target");
    lists.source = list_in(folder, "source");
  }
  const auto pieces = [&](const char* name) -> std::optional<TokenPieces> {
    const fs::path path = fs::path(folder) / name;
    auto bytes = bytes_of_file(path);
    if (!bytes) return std::nullopt;
    return TokenPieces{path.string(), std::move(*bytes)};
  };
  const auto both = pieces("sentencepiece.bpe.model");
  lists.source_pieces = both ? both : pieces("source.spm");
  lists.target_pieces = both ? both : pieces("target.spm");
  check_both_pieces(folder, lists.source_pieces.has_value(), lists.target_pieces.has_value());
  return lists;
}

}  // namespace nmt
