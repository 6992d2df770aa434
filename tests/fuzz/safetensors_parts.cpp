#include "fuzz/safetensors_parts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/io/memory_map.h"
#include "data/generated_text.h"
#include "data/vocabulary/vocabulary_trainer.h"
#include "fuzz/scratch_file.h"
#include "nn/safetensors_bytes.h"

namespace nmt::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMetadata = "__metadata__";
constexpr std::array kTexts = {"config", "progress"};

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Removes the texts and the checksum from a header's metadata; missing ones are empty.
Parts take_texts(Json& metadata) {
  Parts texts;
  for (const char* name : kTexts) {
    const auto text = metadata.find(name);
    texts.emplace_back(text != metadata.end() && text->is_string() ? text->get<std::string>() : "");
    if (!texts.back().empty()) metadata.erase(name);
  }
  metadata.erase("checksum");
  metadata.erase("checksum_type");
  return texts;
}

/// Returns the header, and if it is JSON of the right form, the texts removed from it.
Parts split_header(const std::string& header) {
  Json json = Json::parse(header, nullptr, false);
  if (!json.is_object() || !json.contains(kMetadata) || !json[kMetadata].is_object()) return {header, "", ""};
  const Parts texts = take_texts(json[kMetadata]);
  return {dump(json), texts[0], texts[1]};
}

std::string join_header(const Parts& parts) {
  Json json = Json::parse(parts[0], nullptr, false);
  if (!json.is_object() || !json.contains(kMetadata) || !json[kMetadata].is_object()) return parts[0];
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (!parts[1 + i].empty()) json[kMetadata][kTexts[i]] = parts[1 + i];
  }
  return dump(json);
}

}  // namespace

Vocabulary seed_vocabulary() {
  static const Vocabulary vocabulary = [] {
    GeneratedText text(1);
    return train_vocabulary({.inputs = {scratch_file("text", text.text(300).source)},
                             .size = 40,
                             .normalization = "identity"})
        .vocabulary;
  }();
  return vocabulary;
}

Parts split_safetensors(const std::string& bytes) {
  std::uint64_t length = 0;
  const std::string rest = bytes.substr(bytes.copy(reinterpret_cast<char*>(&length), sizeof length));
  length = std::min<std::uint64_t>(length, rest.size());
  Parts parts = split_header(rest.substr(0, length));
  std::string data = rest.substr(length);
  if (const Vocabulary& seed = seed_vocabulary(); data.ends_with(seed.bytes()))
    data.resize(data.size() - seed.bytes().size());
  parts.push_back(data);
  return parts;
}

std::string join_safetensors(const Parts& parts) {
  return safetensors_bytes(join_header(parts), parts[3] + seed_vocabulary().bytes());
}

std::string read_bytes(const std::string& path) {
  return std::string(map_file(path).text());
}

}  // namespace nmt::fuzz
