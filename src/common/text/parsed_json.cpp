#include "common/text/parsed_json.h"

#include <cstddef>

#include "common/damaged_file.h"

namespace nmt {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;
constexpr std::size_t kShown = 60;  // bytes

/// Returns the place, from 1, of the first bracket that is nested too deeply; 0: there is none. A callback of
/// the parser would learn of depth, too, but makes it scan all earlier elements of a list after each object.
std::size_t first_too_deep(std::string_view text) {
  int depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_string = !is_string;
    if (is_string) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return i + 1;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return 0;
}

}  // namespace

json parsed_json(std::string_view text, const std::string& name) {
  if (text.empty()) throw DamagedFile("'{}' is empty; copy it again", name);
  if (const std::size_t place = first_too_deep(text); place > 0)
    throw Error("'{}' is nested more than {} levels deep at its byte {}", name, kDeepest, place);
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::parse_error& error) {
    throw DamagedFile("'{}' is not valid JSON at its byte {}", name, error.byte);
  } catch (const json::out_of_range& error) {
    throw Error("'{}' has a number that is too large: '{}'", name,
                number_out_of_range(error).substr(0, kShown));
  }
}

std::string_view number_out_of_range(const json::out_of_range& error) {
  const std::string_view what = error.what();  // it ends in "number overflow parsing '1e400'"
  const std::size_t begin = what.find('\'') + 1, end = what.rfind('\'');
  return begin > 0 && begin < end ? what.substr(begin, end - begin) : std::string_view();
}

std::int64_t whole_number_in(const json& value, const std::string& what, std::int64_t most) {
  const auto* number = value.get_ptr<const json::number_unsigned_t*>();
  if (number != nullptr && *number <= static_cast<std::uint64_t>(most))
    return static_cast<std::int64_t>(*number);
  throw Error("{} is {}, not a whole number from 0 to {}", what, shown_json(value), most);
}

std::string shown_json(const json& value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

}  // namespace nmt
