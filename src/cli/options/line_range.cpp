#include "cli/options/line_range.h"

#include "cli/options/value.h"
#include "common/error.h"

namespace nmt {

LineRange parse_line_range(const std::string& text, const std::string& origin) {
  const std::size_t dash = text.find('-');
  const auto read = [](const std::string& number, std::int64_t& line) {
    return ValueType<std::int64_t>::read(number, line) == Reading::good && line >= 1;
  };
  LineRange range;
  const bool is_read = read(text.substr(0, dash), range.first) &&
                       read(dash == std::string::npos ? text : text.substr(dash + 1), range.last);
  if (!is_read || range.last < range.first) {
    throw UsageError("{}: '{}' is not a line or a range of lines, such as 7 or 3-9", origin, text);
  }
  return range;
}

}  // namespace nmt
