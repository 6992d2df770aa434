#include "foreign/containers/ctranslate2_binary.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "common/text/plural.h"
#include "foreign/containers/ctranslate2_types.h"

namespace nmt {
namespace {

constexpr std::uint32_t kLastVersion = 6;
// The multiplier of 16-bit weights without a scale of their own, as in the first versions.
constexpr float kMultiplierOf16Bits = 1000;

std::string string_in(ByteReader& reader) {
  const std::string_view text = reader.bytes(reader.number<std::uint16_t>());
  return std::string(text.substr(0, text.find('\0')));
}

/// Returns the later name of a variable of a Transformer in revision 1, whose names are those of OpenNMT-tf,
/// whose linear layers were convolutions.
std::string renamed(std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kChanges = {
      {{"transformer/", ""},
       {":0", ""},
       {"w_embs", "embeddings/weight"},
       {"kernel", "weight"},
       {"LayerNorm", "layer_norm"},
       {"dense", "projection"},
       {"conv1d_", "linear_"},
       {"conv1d", "linear_0"}}};
  const auto change = [&name](std::string_view from, std::string_view to) {
    const std::size_t at = name.find(from);
    if (at != name.npos) name.replace(at, from.size(), to);
  };
  for (const auto& [from, to] : kChanges) change(from, to);
  if (name.find("encoder") == name.npos) {
    change("masked_multi_head", "self_attention");
    change("multi_head", "attention");
  } else {
    change("multi_head", "self_attention");
  }
  return name;
}

/// Returns the type of elements of so many bytes, up to version 3.
std::optional<ElementType> type_of_size(std::uint8_t size) {
  if (size == 4) return ElementType::f32;
  if (size == 2) return ElementType::i16;
  if (size == 1) return ElementType::i8;
  return std::nullopt;
}

bool may_be_quantized(const TensorFile::Entry& entry) {
  return !entry.shape.empty() && (entry.type == ElementType::i8 || entry.type == ElementType::i16);
}

/// Returns the value of a name in a map, or null.
template <class Map>
const typename Map::mapped_type* value_in(const Map& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

CTranslate2Binary::CTranslate2Binary(const std::string& path) : MappedTensors(path) {
  ByteReader reader(file(), this->path());
  version_ = reader.number<std::uint32_t>();
  if (version_ == 0 || version_ > kLastVersion) {
    throw Error(
        "cannot load '{}': it is not a model of CTranslate2 of versions 1 to {}, but begins with {}; name "
        "another file, or convert the model again",
        path, kLastVersion, version_);
  }
  if (version_ >= 2) {
    spec_ = string_in(reader);
    revision_ = reader.number<std::uint32_t>();
  }
  Variables variables;
  Aliases aliases;
  for (auto count = checked_count(reader.number<std::uint32_t>()); count > 0; --count)
    read_variable(reader, variables);
  if (version_ >= 3) {
    for (auto count = checked_count(reader.number<std::uint32_t>()); count > 0; --count)
      read_alias(reader, variables, aliases);
  }
  if (reader.remaining() > 0) {
    throw damaged(
        path, fmt::format("it goes on for {} after its last variable", count_of(reader.remaining(), "byte")));
  }
  add_all(variables, aliases);
}

void CTranslate2Binary::read_variable(ByteReader& reader, Variables& variables) const {
  const std::string name = has_old_names() ? renamed(string_in(reader)) : string_in(reader);
  Variable variable;
  for (int dimensions = reader.number<std::uint8_t>(); dimensions > 0; --dimensions)
    variable.entry.shape.push_back(reader.number<std::uint32_t>());
  const auto type = reader.number<std::uint8_t>();
  std::optional<ElementType> known;
  if (version_ < 4) {
    known = type_of_size(type);
  } else if (type < kCTranslate2Types.size()) {
    known = kCTranslate2Types[type];
  }
  if (!known)
    throw damaged(path(), fmt::format("variable {} is of the unknown type {}", in_quotes(name), type));
  variable.entry.type = *known;
  const auto count = reader.number<std::uint32_t>();
  variable.bytes = reader.records(count, version_ < 4 ? size_of(*known) : 1);
  if (!variables.emplace(name, std::move(variable)).second) {
    throw damaged(path(), "it has two variables " + in_quotes(name));
  }
}

void CTranslate2Binary::read_alias(ByteReader& reader, const Variables& variables, Aliases& aliases) const {
  const std::string alias = string_in(reader), name = string_in(reader);
  if (!variables.contains(name)) {
    throw damaged(path(),
                  fmt::format("{} stands for {}, which is missing", in_quotes(alias), in_quotes(name)));
  }
  if (variables.contains(alias) || !aliases.emplace(alias, name).second) {
    throw damaged(path(), "it has two variables " + in_quotes(alias));
  }
}

void CTranslate2Binary::add_all(const Variables& variables, const Aliases& aliases) {
  const auto find_variable = [&](const std::string& name) {
    const std::string* original = value_in(aliases, name);
    return value_in(variables, original != nullptr ? *original : name);
  };
  const auto is_scale = [&](const std::string& name) {
    if (!name.ends_with(kCTranslate2Scale)) return false;
    const Variable* scaled = find_variable(name.substr(0, name.rfind(kCTranslate2Scale)));
    return scaled != nullptr && may_be_quantized(scaled->entry);
  };
  for (const auto& [name, variable] : variables)
    if (!is_scale(name)) add_one(name, variable, find_variable(name + kCTranslate2Scale));
  for (const auto& [alias, name] : aliases)
    if (!is_scale(alias)) add_one(alias, variables.at(name), find_variable(name + kCTranslate2Scale));
}

void CTranslate2Binary::add_one(const std::string& name, const Variable& variable, const Variable* scale) {
  Entry entry = variable.entry;
  if (may_be_quantized(entry) && scale != nullptr) {
    if (scale->entry.type != ElementType::f32) {
      throw damaged(path(), "the scales of " + in_quotes(name) + " are not of type f32");
    }
    scales_[name] = scale->bytes;
    entry.is_quantized = true;
  } else if (entry.type == ElementType::i16 && entry.shape.size() == 2) {
    entry.is_quantized = true;
  }
  add(name, std::move(entry), variable.bytes);
  if (find(name)->bytes() != variable.bytes.size()) {
    throw damaged(path(), "the data of " + in_quotes(name) + " do not fit its shape");
  }
}

std::vector<float> CTranslate2Binary::multipliers(const std::string& name) const {
  const std::string_view* bytes = value_in(scales_, name);
  if (bytes == nullptr) return {kMultiplierOf16Bits};
  std::vector<float> values(bytes->size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes->data(), values.size() * sizeof(float));
  return values;
}

}  // namespace nmt
