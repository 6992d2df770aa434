// JSON: texts by their keys.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "documents/formats.h"
#include "documents/messages/keys.h"
#include "documents/messages/messages.h"

namespace nmt {
namespace {

constexpr std::size_t kDeepestJson = 512;

/// Accepts every value of a valid document that is not nested too deeply.
class JsonCheck : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonCheck(const std::string& name) : name_(name) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return begin(); }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return end(); }
  bool start_array(std::size_t /*elements*/) override { return begin(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    throw Error("cannot translate '{}': it is not valid JSON at byte {}; repair it first", name_, position);
  }

 private:
  bool begin() {
    if (++depth_ > kDeepestJson)
      throw Error("cannot translate '{}': its values are nested in more than {} levels", name_, kDeepestJson);
    return true;
  }
  bool end() {
    --depth_;
    return true;
  }

  const std::string& name_;
  std::size_t depth_ = 0;
};

/// Returns the end of the string that begins at a place of a valid document.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

}  // namespace

void translate_json(const DocumentInput& source, DocumentOutput& output) {
  JsonCheck check(source.name);
  nlohmann::json::sax_parse(source.bytes, &check);
  const std::string_view text = source.bytes;
  // The kinds of the values around a place, and for each object the key of its current value.
  struct Level {
    bool is_object;
    bool is_at_key;
  };
  std::vector<Level> levels;
  std::vector<std::string> keys;
  const auto encode = [](std::string_view translation) {
    using Json = nlohmann::json;
    return Json(translation).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size();) {
    switch (text[i]) {
      case '{':
      case '[':
        levels.push_back({text[i] == '{', text[i] == '{'});
        if (text[i] == '{') keys.emplace_back();
        break;
      case '}':
      case ']':
        if (levels.back().is_object) keys.pop_back();
        levels.pop_back();
        break;
      case ':':
        levels.back().is_at_key = false;
        break;
      case ',':
        levels.back().is_at_key = levels.back().is_object;
        break;
      case '"': {
        const std::size_t end = end_of_string(text, i);
        const std::string_view bytes = text.substr(i, end - i);
        const bool is_key = !levels.empty() && levels.back().is_at_key;
        if (is_key || matches_key(source.settings.keys, keys)) {
          std::string value = nlohmann::json::parse(bytes).get<std::string>();
          if (is_key) {
            keys.back() = std::move(value);
          } else {
            output.keep(text.substr(kept, i - kept));
            output.put(translated_message(value, bytes, encode));
            kept = end;
          }
        }
        i = end;
        continue;
      }
      default:
        break;
    }
    ++i;
  }
  output.keep(text.substr(kept));
}

}  // namespace nmt
