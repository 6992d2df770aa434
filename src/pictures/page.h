// Self-contained HTML pages: one file that loads nothing and sends nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nmt {

/// Returns the text of src/pictures/assets/NAME. Throws Error if there is no such file.
std::string_view asset(std::string_view name);

/// The contents of a page. Its script draws the data with the functions of assets/page.js; colors are
/// variables of assets/page.css, which follow the reader's light or dark theme.
struct Page {
  std::string title;            // plain text
  std::string body;             // HTML; text in it must be escaped by html_text()
  std::string_view style = {};  // CSS, after page.css
  std::string_view script;      // JavaScript, after page.js
  nlohmann::ordered_json data;  // `data` in the script; strings may contain anything
  bool is_served = false;       // whether the script may send requests to the server of the page
};

/// Returns the complete file. A Content-Security-Policy keeps the page from loading anything and from running
/// any script but its own, even if hostile text were not escaped.
std::string html_page(const Page& page);

/// Returns the name and version of the program as pages show it: "nmt 1.2.0".
std::string program_version();

/// Escapes text for use between tags and in quoted attributes. Invalid UTF-8 becomes U+FFFD.
std::string html_text(std::string_view text);

}  // namespace nmt
