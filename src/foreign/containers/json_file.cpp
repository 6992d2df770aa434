#include "foreign/containers/json_file.h"

#include <filesystem>
#include <utility>

#include "common/error.h"
#include "common/io/memory_map.h"
#include "common/text/parsed_json.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestFile = std::size_t{4} << 20;

}  // namespace

JsonFile::JsonFile(std::string_view text, std::string name) : name_(std::move(name)) {
  if (text.size() > kLongestFile) {
    throw Error("'{}' has {} bytes, more than {}; it is not a file of a model", name_, text.size(),
                kLongestFile);
  }
  values_ = parsed_json(text, name_);
  if (!values_.is_object()) throw Error("'{}' is not a JSON object", name_);
}

JsonFile JsonFile::from_values(json object, std::string name) {
  JsonFile file;
  file.values_ = std::move(object);
  file.name_ = std::move(name);
  return file;
}

JsonFile JsonFile::read(const std::string& folder, const std::string& name) {
  const std::string path = (std::filesystem::path(folder) / name).string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {"{}", path};
  return {map_file(path).copy(), path};
}

JsonFile JsonFile::read(const Package& package, const std::string& name) {
  return {package.has(name) ? package.map(name).copy() : "{}", package.shown(name)};
}

void JsonFile::refuse(const std::string& key, const std::string& what) const {
  const json* value = find(key);
  throw Error("'{}': {} is {}{}", name_, key, value == nullptr ? "" : shown_json(*value) + ", ", what);
}

const json* JsonFile::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() || found->is_null() ? nullptr : &*found;
}

std::vector<std::string> JsonFile::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : values_.items()) keys.push_back(key);
  return keys;
}

JsonFile JsonFile::or_else(json values) const {
  JsonFile complete = *this;
  values.update(values_);
  complete.values_ = std::move(values);
  return complete;
}

bool JsonFile::flag(const std::string& key, bool otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(key, "neither true nor false");
  return value->get<bool>();
}

std::int64_t JsonFile::integer(const std::string& key, std::int64_t otherwise) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number_integer()) refuse(key, "not a whole number");
  const double size = value->get<double>();
  if (size < -static_cast<double>(kMost) || size > static_cast<double>(kMost)) refuse(key, "out of range");
  return value->get<std::int64_t>();
}

double JsonFile::real(const std::string& key, double otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) refuse(key, "not a number");
  return value->get<double>();
}

std::string JsonFile::text(const std::string& key, const std::string& otherwise) const {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) refuse(key, "not text");
  return value->get<std::string>();
}

std::vector<std::string> JsonFile::texts(const std::string& key) const {
  const json* value = find(key);
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  if (!value->is_array()) refuse(key, "not a list");
  for (const json& element : *value) {
    texts.push_back(token_text(element));
    if (texts.back().empty()) refuse(key, "not a list of texts");
  }
  return texts;
}

std::vector<std::int64_t> JsonFile::integers(const std::string& key) const {
  const json* value = find(key);
  std::vector<std::int64_t> numbers;
  if (value == nullptr) return numbers;
  if (!value->is_array()) refuse(key, "not a list");
  for (const json& element : *value) {
    const auto* const huge = element.get_ptr<const json::number_unsigned_t*>();
    if (!element.is_number_integer() || (huge != nullptr && *huge > INT64_MAX))
      refuse(key, "not a list of whole numbers");
    numbers.push_back(element.get<std::int64_t>());
  }
  return numbers;
}

std::string token_text(const json& token) {
  const json* text = &token;
  if (token.is_object()) {
    const auto content = token.find("content");
    if (content != token.end()) text = &*content;
  }
  return text->is_string() ? text->get<std::string>() : "";
}

}  // namespace nmt
