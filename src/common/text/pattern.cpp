#include "common/text/pattern.h"

#include <stdexcept>

namespace nmt {

Pattern::Pattern(const char* expression, Case letters) {
  const int flags = letters == Case::ignored ? REG_EXTENDED | REG_ICASE : REG_EXTENDED;
  if (::regcomp(&compiled_, expression, flags) != 0) throw std::logic_error(expression);
}

std::vector<std::string> Pattern::find(const std::string& text) const {
  std::vector<::regmatch_t> places(compiled_.re_nsub + 1);
  if (::regexec(&compiled_, text.c_str(), places.size(), places.data(), 0) != 0) return {};
  std::vector<std::string> parts;
  for (const ::regmatch_t& place : places) {
    parts.push_back(place.rm_so < 0 ? "" : text.substr(place.rm_so, place.rm_eo - place.rm_so));
  }
  return parts;
}

bool Pattern::matches(const std::string& text) const {
  const std::vector<std::string> parts = find(text);
  return !parts.empty() && parts[0] == text;
}

}  // namespace nmt
