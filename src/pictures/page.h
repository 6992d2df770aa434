// HTML pages that stand alone: one file, which loads nothing and tells nobody anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nmt {

/// What a page consists of. Its script draws what it shows from the data, with the functions of
/// assets/page.js; colours are variables of assets/page.css, which follow the light or dark theme of the
/// reader.
struct Page {
  std::string title;            // plain text
  std::string body;             // HTML; text in it goes through html_text()
  std::string_view style = {};  // CSS, after page.css
  std::string_view script;      // JavaScript, after page.js
  nlohmann::ordered_json data;  // `data` in the script; strings may hold anything
  bool is_served = false;       // whether the script may ask the server that the page came from
};

/// The whole file. A Content-Security-Policy lets the page load nothing from anywhere, and run no script but
/// its own, even if hostile text got past the escapes.
std::string html_page(const Page& page);

/// "nmt 1.2.0", as pages show it.
std::string program_version();

/// Text as it can stand between tags and in quoted attributes. Invalid UTF-8 becomes U+FFFD.
std::string html_text(std::string_view text);

}  // namespace nmt
