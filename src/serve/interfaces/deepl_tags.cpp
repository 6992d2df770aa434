#include "serve/interfaces/deepl_tags.h"

#include <algorithm>
#include <boost/algorithm/string/erase.hpp>

#include "data/text/html.h"

namespace nmt {
namespace {

// The first attribute is that of HTML; by the second one, those of the text are told apart from it.
constexpr std::string_view kExemption = " translate=\"no\" nmt-exempt=\"\"";

/// Returns the size of the tag or section that a text begins with; npos if it does not end.
std::size_t size_of_markup(std::string_view text) {
  const std::string_view ending = ending_of_section(text);
  char quote = 0;
  const std::size_t last = ending.empty() ? find_unquoted(text, ">", quote) : text.find(ending);
  return last == std::string_view::npos ? last : last + std::max<std::size_t>(ending.size(), 1);
}

}  // namespace

std::string with_exempt_elements(std::string_view text, const std::set<std::string>& names) {
  std::string marked;
  while (!text.empty()) {
    if (!begins_markup(text)) {
      const std::size_t size = std::min(text.find('<', 1), text.size());
      marked += text.substr(0, size);
      text.remove_prefix(size);
      continue;
    }
    const std::size_t size = std::min(size_of_markup(text), text.size());
    const std::string_view tag = text.substr(0, size);
    text.remove_prefix(size);
    const std::string name = name_in_tag(tag);
    const bool is_exempt = tag.ends_with('>') && !tag.starts_with("</") && names.contains(name);
    const std::size_t end_of_name = 1 + name.size();
    marked.append(is_exempt ? tag.substr(0, end_of_name) : tag);
    if (is_exempt) marked.append(kExemption).append(tag.substr(end_of_name));
  }
  return marked;
}

std::string without_exemptions(std::string text) {
  boost::algorithm::erase_all(text, kExemption);
  return text;
}

}  // namespace nmt
