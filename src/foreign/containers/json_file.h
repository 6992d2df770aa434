// JSON files of a model's folder: plain values by name, each checked for its kind when it is asked for.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

class JsonFile {
 public:
  /// Takes the text of a file that messages call `name`. Throws Error where it is no JSON object, or longer
  /// than any of a model.
  JsonFile(std::string_view text, std::string name);
  /// Reads a file of a folder; one that is not there has no values.
  static JsonFile read(const std::string& folder, const std::string& name);

  const std::string& name() const { return name_; }

  /// The value; nullptr where there is none, or null.
  const nlohmann::json* find(const std::string& key) const;

  std::vector<std::string> keys() const;

  // The value, or `otherwise` where there is none. Each throws Error where it is of another kind, or out of
  // range.
  bool flag(const std::string& key, bool otherwise) const;
  std::int64_t integer(const std::string& key, std::int64_t otherwise) const;
  double real(const std::string& key, double otherwise) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  /// Texts; a token may also be an object that has its text as `content`.
  std::vector<std::string> texts(const std::string& key) const;
  std::vector<std::int64_t> integers(const std::string& key) const;

  /// The Error about a value: it "is" `what`.
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  nlohmann::json values_;
  std::string name_;
};

/// The text of a token: a text, or an object that has it as `content`; empty for anything else.
std::string token_text(const nlohmann::json& token);

}  // namespace nmt
