// JSON files in a model's folder: values by name, each checked for its type when it is read.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "foreign/containers/package.h"

namespace nmt {

class JsonFile {
 public:
  /// Parses the text of a file that messages call `name`. Throws Error as parsed_json() does, if the text is
  /// not a JSON object, and if it is far longer than such files are.
  JsonFile(std::string_view text, std::string name);
  /// Takes an object that is in another kind of file, which messages call `name`.
  static JsonFile from_values(nlohmann::json object, std::string name);
  /// Reads a file of a folder; a missing file has no values.
  static JsonFile read(const std::string& folder, const std::string& name);
  /// Reads a file of a package; a missing file has no values.
  static JsonFile read(const Package& package, const std::string& name);

  const std::string& name() const { return name_; }

  /// Returns a value; null if it is missing or null.
  const nlohmann::json* find(const std::string& key) const;

  std::vector<std::string> keys() const;

  /// Returns this file with these values where it says nothing.
  JsonFile or_else(nlohmann::json values) const;

  // Returns a value, or `otherwise` if it is missing. Each throws Error if the value has another type or is
  // out of range.
  bool flag(const std::string& key, bool otherwise) const;
  std::int64_t integer(const std::string& key, std::int64_t otherwise) const;
  double real(const std::string& key, double otherwise) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  /// Returns a list of texts; a token may also be an object that has its text as `content`.
  std::vector<std::string> texts(const std::string& key) const;
  std::vector<std::int64_t> integers(const std::string& key) const;

  /// Throws an Error about a value that says that it "is" `what`.
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  JsonFile() = default;

  nlohmann::json values_;
  std::string name_;
};

/// Returns the text of a token: a text, or the `content` of an object; empty for anything else.
std::string token_text(const nlohmann::json& token);

}  // namespace nmt
