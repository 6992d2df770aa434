// The data in a page, for tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace nmt {

/// Returns the data of a page's script.
inline nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace nmt
