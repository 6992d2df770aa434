#include "foreign/eole/eole_vocabulary.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "common/error.h"
#include "common/io/memory_map.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestVocabulary = std::size_t{256} << 20;

json parsed(std::string_view text, const std::string& path) {
  if (text.size() > kLongestVocabulary)
    throw Error("'{}' has {} bytes, more than {}; it is not a file of a model", path, text.size(),
                kLongestVocabulary);
  json file = json::parse(text.begin(), text.end(), nullptr, false);
  if (!file.is_object()) throw Error("'{}' is not a JSON object", path);
  return file;
}

TokenList list_in(const json& file, const char* key, const std::string& path) {
  const auto tokens = file.find(key);
  if (tokens == file.end() || !tokens->is_array()) throw Error("'{}' has no list of tokens '{}'", path, key);
  WordListBuilder list(path);
  std::uint64_t id = 0;
  for (const json& token : *tokens) {
    if (!token.is_string()) throw Error("'{}': its list '{}' holds what is not a token", path, key);
    list.add(token.get<std::string>(), id++);
  }
  return {path, list.finish()};
}

/// Reads the text of this name, if it exists.
void take(const json& file, const char* key, std::string& text, const std::string& path) {
  const auto value = file.find(key);
  if (value == file.end()) return;
  if (!value->is_string()) throw Error("'{}': {} is not text", path, key);
  text = value->get<std::string>();
}

}  // namespace

EoleVocabulary read_eole_vocabulary(const std::string& path) {
  const json file = parsed(map_file(path).copy(), path);
  EoleVocabulary vocabulary;
  vocabulary.lists = {list_in(file, "src", path), list_in(file, "tgt", path)};
  TokenNames& names = vocabulary.names;
  if (const auto specials = file.find("specials"); specials != file.end() && specials->is_object()) {
    take(*specials, "unk_token", names.unk, path);
    take(*specials, "bos_token", names.bos, path);
    take(*specials, "eos_token", names.eos, path);
    take(*specials, "pad_token", names.padding.front(), path);
  }
  std::string start = names.bos;
  take(file, "decoder_start_token", start, path);
  names.decoder_start = start;
  return vocabulary;
}

}  // namespace nmt
