#include "http/message.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <cctype>
#include <charconv>

namespace nmt {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace

std::string_view HttpRequest::field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

std::string HttpRequest::body_type() const {
  const std::string_view whole = field("content-type");
  const std::string_view type = whole.substr(0, whole.find(';'));
  return lower(type.substr(0, type.find_last_not_of(" \t") + 1));
}

std::string_view reason_of_status(int status) {
  const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  return {reason.data(), reason.size()};
}

std::string bytes_of(const HttpResponse& response, const ResponseForm& form) {
  std::string bytes = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_of_status(response.status));
  const auto field = [&bytes](std::string_view name, std::string_view value) {
    bytes.append(name).append(": ").append(value).append("\r\n");
  };
  field("Content-Type", response.type);
  if (!response.is_streamed) field("Content-Length", std::to_string(response.body.size()));
  field("Connection", form.keeps_open ? "keep-alive" : "close");
  for (const auto& [name, value] : response.fields) field(name, value);
  bytes += "\r\n";
  if (form.with_body) bytes += response.body;
  return bytes;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[i] == '%') {
      unsigned char byte = 0;
      if (i + 2 >= text.size()) return std::nullopt;
      const char* const digits = text.data() + i + 1;
      if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::optional<std::vector<std::pair<std::string, std::string>>> form_fields(std::string_view body) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!body.empty()) {
    const std::string_view pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decoded(pair.substr(0, equals), true);
    auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return std::nullopt;
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

std::string host_name(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? "" : lower(host.substr(1, end - 1));
  }
  return lower(host.substr(0, host.find(':')));
}

bool is_loopback(const std::string& name) {
  return name == "localhost" || name == "127.0.0.1" || name == "::1";
}

bool is_address(const std::string& name) {
  in6_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

}  // namespace nmt
