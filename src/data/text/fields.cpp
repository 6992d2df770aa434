#include "data/text/fields.h"

namespace nmt {

std::vector<std::string_view> fields_of(std::string_view line) {
  constexpr std::string_view kSpaces = " \t";
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return fields;
    line.remove_prefix(begin);
    fields.push_back(line.substr(0, line.find_first_of(kSpaces)));
    line.remove_prefix(fields.back().size());
  }
}

}  // namespace nmt
