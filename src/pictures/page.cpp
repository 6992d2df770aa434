#include "pictures/page.h"

#include "common/io/checksum.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

/// Returns JSON for a script element: without "<", which occurs only in strings, nothing can end the element.
std::string embedded_json(const nlohmann::ordered_json& data) {
  const std::string json = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      safe += "\\u003c";
    } else {
      safe += letter;
    }
  }
  return safe;
}

/// Returns the nonce without which no script runs. It depends on all that the page shows, so that foreign
/// text cannot know it, and equal pages are equal files.
std::string nonce_of(const Page& page, const std::string& json) {
  return Checksum().add(page.title).add(page.body).add(json).add(page.script).digits();
}

std::string content_security_policy(bool is_served, const std::string& nonce) {
  return "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'unsafe-inline'; img-src data:; " +
         (is_served ? "connect-src 'self'; " : "") + "base-uri 'none'; form-action 'none'";
}

}  // namespace

std::string program_version() {
  return "nmt " NMT_VERSION;
}

std::string html_text(std::string_view text) {
  std::string repaired(text), safe;
  repair_utf8(repaired);
  for (const char letter : repaired) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

std::string html_page(const Page& page) {
  const std::string json = embedded_json(page.data);
  const std::string nonce = nonce_of(page, json);
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
          content_security_policy(page.is_served, nonce) + "\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += "<meta name=\"referrer\" content=\"no-referrer\">\n";
  html += "<link rel=\"icon\" href=\"data:,\">\n";  // otherwise browsers request one from the server
  html += "<title>" + html_text(page.title) + "</title>\n<style>\n";
  html.append(asset("page.css")).append(page.style);
  html += "</style>\n</head>\n<body>\n" + page.body + "\n<script type=\"application/json\" id=\"data\">";
  html += json;
  html += "</script>\n<script nonce=\"" + nonce + "\">\n\"use strict\";\n";
  html.append(asset("page.js")).append(page.script);
  return html + "</script>\n</body>\n</html>\n";
}

}  // namespace nmt
