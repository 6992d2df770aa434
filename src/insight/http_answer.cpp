#include "insight/http_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "common/error.h"

namespace nmt {
namespace {

/// Takes the part before `end` off `rest`; all of it where there is no `end`.
std::string_view take(std::string_view& rest, std::string_view end) {
  const std::size_t size = std::min(rest.find(end), rest.size());
  const std::string_view part = rest.substr(0, size);
  rest.remove_prefix(std::min(size + end.size(), rest.size()));
  return part;
}

bool are_equal_without_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// The value of a field among the lines of a head, without blanks around it.
std::string_view field(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    std::string_view line = take(lines, "\r\n");
    if (!are_equal_without_case(take(line, ":"), name)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  }
  return {};
}

bool is_this_machine(std::string_view host) {
  const std::string_view name = take(host, ":");
  return are_equal_without_case(name, "localhost") || name == "127.0.0.1";
}

std::string answer(std::string_view status, const Document& document, bool with_text) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n\r\n{}",
      status, document.type, document.text.size(), with_text ? document.text : "");
}

std::string refusal(std::string_view status, const std::string& reason = "") {
  return answer(status, {.type = "text/plain", .text = fmt::format("{}\n{}", status, reason)}, true);
}

}  // namespace

std::string http_answer(std::string_view head, const DocumentSource& documents) {
  std::string_view line = take(head, "\r\n");
  const std::string_view method = take(line, " ");
  std::string_view target = take(line, " ");
  if (!line.starts_with("HTTP/1.")) return refusal("400 Bad Request");
  if (!is_this_machine(field(head, "Host"))) return refusal("403 Forbidden");
  if (method != "GET" && method != "HEAD") return refusal("405 Method Not Allowed");
  try {
    const std::optional<Document> document = documents(take(target, "?"));
    if (!document) return refusal("404 Not Found");
    return answer("200 OK", *document, method == "GET");
  } catch (const Error& error) {
    return refusal("503 Service Unavailable", error.what());
  }
}

}  // namespace nmt
