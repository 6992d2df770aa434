#include "foreign/containers/ctranslate2_writer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "common/io/atomic_file.h"
#include "common/io/checksum.h"
#include "foreign/containers/byte_writer.h"
#include "foreign/containers/ctranslate2_types.h"
#include "nn/files/safetensors.h"

namespace nmt {
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
    const std::vector<std::byte> data = part->made();
    checksum.add(data.data(), data.size());
  }
  return checksum.value();
}

bool are_equal(const Parts& a, const Parts& b) {
  return std::ranges::equal(a, b, [](const OutputTensor* x, const OutputTensor* y) {
    return x->type == y->type && x->shape == y->shape && x->made() == y->made();
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
    const std::vector<std::byte> data = variable->made();
    file.write(data.data(), data.size());
  }
  file.write(end);
  file.commit();
}

}  // namespace nmt
