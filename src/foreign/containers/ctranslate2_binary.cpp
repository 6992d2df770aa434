#include "foreign/containers/ctranslate2_binary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "common/io/atomic_file.h"
#include "common/io/byte_reader.h"
#include "common/io/checksum.h"
#include "common/text/number.h"
#include "nn/files/safetensors.h"

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

/// Returns the type of elements of `size` bytes, as in versions up to 3.
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

CTranslate2Binary::CTranslate2Binary(MemoryMap map, const std::string& path)
    : MappedTensors(std::move(map), path) {
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
  reader.expect_end("variable");
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

namespace {

constexpr std::uint32_t kWrittenVersion = 6;

void append_string(std::string& bytes, const std::string& text, const std::string& path) {
  if (text.size() >= std::numeric_limits<std::uint16_t>::max()) {
    throw Error("cannot write '{}': a name has {} bytes; CTranslate2 reads at most 65534", path, text.size());
  }
  append_numbers(bytes, static_cast<std::uint16_t>(text.size() + 1));
  bytes.append(text.c_str(), text.size() + 1);
}

std::uint8_t number_of(ElementType type) {
  const auto* known = std::ranges::find(kCTranslate2Types, type);
  if (known == kCTranslate2Types.end())
    throw Error("files of CTranslate2 have no elements of type {}", name_of(type));
  return static_cast<std::uint8_t>(known - kCTranslate2Types.begin());
}

/// Returns the bytes before the data of a variable.
std::string variable_head(const OutputTensor& variable, const std::string& path) {
  std::string head;
  append_string(head, variable.name, path);
  append_numbers(head, static_cast<std::uint8_t>(variable.shape.size()));
  for (const std::int64_t extent : variable.shape) append_numbers(head, static_cast<std::uint32_t>(extent));
  const std::uint64_t bytes = variable.bytes();
  if (bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(
        "cannot write '{}': {} has {} bytes, and variables of CTranslate2 have less than 4 GiB; write "
        "weights of 8 bits",
        path, in_quotes(variable.name), bytes);
  }
  append_numbers(head, number_of(variable.type), static_cast<std::uint32_t>(bytes));
  return head;
}

/// A variable and its scale, if it has one.
using Parts = std::vector<const OutputTensor*>;

/// Returns variables by name together with their scales, which follow them.
std::map<std::string, Parts> with_scales(const std::vector<OutputTensor>& variables) {
  std::map<std::string, Parts> all;
  for (const OutputTensor& variable : variables) all[variable.name] = {&variable};
  for (const OutputTensor& variable : variables) {
    const auto scale = all.find(variable.name + kCTranslate2Scale);
    if (scale == all.end()) continue;
    all[variable.name].push_back(scale->second.front());
    all.erase(scale);
  }
  return all;
}

std::uint64_t checksum_of(const Parts& parts) {
  Checksum checksum;
  for (const OutputTensor* part : parts) {
    part->each_part([&](const std::vector<std::byte>& data) { checksum.add(data.data(), data.size()); });
  }
  return checksum.value();
}

bool are_equal(const Parts& a, const Parts& b) {
  return std::ranges::equal(a, b, [](const OutputTensor* x, const OutputTensor* y) {
    bool are_equal = x->type == y->type && x->shape == y->shape;
    each_range(are_equal ? x->rows() : 0, x->row_bytes(),
               [&](RowRange range) { are_equal = are_equal && x->made(range) == y->made(range); });
    return are_equal;
  });
}

/// Returns the aliases: variables that equal an earlier one by name, with its name. Single numbers are never
/// aliases.
std::map<std::string, std::string> aliases_among(const std::map<std::string, Parts>& variables) {
  std::map<std::string, std::string> aliases;
  std::multimap<std::uint64_t, const Parts*> seen;  // by checksum
  for (const auto& [name, parts] : variables) {
    if (parts.front()->shape.empty()) continue;
    const std::uint64_t checksum = checksum_of(parts);
    const auto [begin, end] = seen.equal_range(checksum);
    const auto equal = std::find_if(
        begin, end, [&parts = parts](const auto& other) { return are_equal(*other.second, parts); });
    if (equal == end) {
      seen.emplace(checksum, &parts);
    } else {
      aliases.emplace(name, equal->second->front()->name);
    }
  }
  return aliases;
}

/// Returns all parts of the variables that are not aliases, in the order of their names.
Parts originals_of(const std::map<std::string, Parts>& variables,
                   const std::map<std::string, std::string>& aliases) {
  Parts originals;
  for (const auto& [name, parts] : variables)
    if (!aliases.contains(name)) originals.insert(originals.end(), parts.begin(), parts.end());
  std::ranges::sort(originals, {}, &OutputTensor::name);
  return originals;
}

}  // namespace

void write_ctranslate2_binary(const std::string& path, const std::string& spec, std::uint32_t revision,
                              std::vector<OutputTensor> variables) {
  sort_by_name(variables, path);
  const std::map<std::string, Parts> parts = with_scales(variables);
  const std::map<std::string, std::string> aliases = aliases_among(parts);
  const Parts originals = originals_of(parts, aliases);

  std::string begin;
  append_numbers(begin, kWrittenVersion);
  append_string(begin, spec, path);
  append_numbers(begin, revision, static_cast<std::uint32_t>(originals.size()));
  std::string end;
  append_numbers(end, static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, name] : aliases) {
    append_string(end, alias, path);
    append_string(end, name, path);
  }

  AtomicFile file(path);
  file.write(begin);
  for (const OutputTensor* variable : originals) {
    file.write(variable_head(*variable, path));
    variable->each_part([&](const std::vector<std::byte>& data) { file.write(data.data(), data.size()); });
  }
  file.write(end);
  file.commit();
}

}  // namespace nmt
