#include "cli/options/byte_size.h"

#include <limits>
#include <string_view>

#include "common/error.h"
#include "common/text/number.h"

namespace nmt {

std::uintmax_t byte_size(const std::string& text, const std::string& option) {
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const unsigned shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  const auto count = number_of<std::uintmax_t>(shift == 0 ? text : text.substr(0, text.size() - 1));
  if (!count || *count == 0 || *count > std::numeric_limits<std::uintmax_t>::max() >> shift)
    throw UsageError("{} '{}' is no amount of memory, such as 4G or 500M", option, text);
  return *count << shift;
}

}  // namespace nmt
