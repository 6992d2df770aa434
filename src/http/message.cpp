#include "http/message.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/beast/http/status.hpp>
#include <cctype>
#include <charconv>
#include <cstring>
#include <limits>

#include "common/error.h"

namespace nmt {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// Returns the value of a parameter of a field, such as `name` in "form-data; name=\"q\""; nothing if it is
/// missing.
std::optional<std::string> parameter_of(std::string_view field, std::string_view name) {
  std::size_t begin = field.find(';');
  while (begin < field.size()) {
    const std::string_view rest = field.substr(begin + 1);
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    std::string value;
    std::size_t end = std::min(rest.find_first_not_of(" \t", equals + 1), rest.size());
    if (rest.substr(end).starts_with('"')) {
      for (++end; end < rest.size() && rest[end] != '"'; ++end) {
        if (rest[end] == '\\' && end + 1 < rest.size()) ++end;
        value += rest[end];
      }
      end = std::min(rest.find(';', end), rest.size());
    } else {
      end = std::min(rest.find(';', end), rest.size());
      value = without_spaces(rest.substr(equals + 1, end - equals - 1));
    }
    if (lower(without_spaces(rest.substr(0, equals))) == name) return value;
    begin += 1 + end;
  }
  return std::nullopt;
}

/// Returns the field Content-Disposition in the head of a part of a form; empty if it is missing.
std::string_view disposition_in(std::string_view head) {
  constexpr std::string_view kDisposition = "content-disposition:";
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    if (lower(line.substr(0, kDisposition.size())) == kDisposition) return line;
  }
  return {};
}

/// Returns the name of the file in a field Content-Disposition, as HTML encodes it, or in the form of RFC
/// 8187 (filename*=UTF-8''%C3%A4.txt); nothing if it is missing.
std::optional<std::string> file_name_in(std::string_view disposition) {
  if (auto name = parameter_of(disposition, "filename")) {
    for (const auto& [code, character] : {std::pair("%22", "\""), {"%0D", "\r"}, {"%0A", "\n"}})
      boost::algorithm::replace_all(*name, code, character);
    return name;
  }
  const auto encoded = parameter_of(disposition, "filename*");
  if (!encoded || !lower(*encoded).starts_with("utf-8'")) return std::nullopt;
  return percent_decoded(encoded->substr(encoded->rfind('\'') + 1), false);
}

/// Returns the position of `part` in `text`, from `begin` on, in linear time also for unfavorable texts.
std::size_t position_of(std::string_view part, std::string_view text, std::size_t begin) {
  const void* const found = ::memmem(text.data() + begin, text.size() - begin, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

std::string_view HttpRequest::field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : found->second;
}

std::string HttpRequest::body_type() const {
  const std::string_view whole = field("content-type");
  return lower(without_spaces(whole.substr(0, whole.find(';'))));
}

std::string HttpRequest::body_parameter(std::string_view name) const {
  return parameter_of(field("content-type"), name).value_or("");
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
  constexpr int kNoContent = 204;  // which has neither of these (RFC 9110, 8.6)
  if (response.status != kNoContent) {
    field("Content-Type", response.type);
    if (!response.is_streamed) field("Content-Length", std::to_string(response.body_size()));
  }
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

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_safe =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_' || c == '~';
    encoded += is_safe ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::optional<FormFields> form_fields(std::string_view body) {
  FormFields fields;
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

std::vector<FormPart> multipart_parts(std::string_view body, std::string_view boundary, std::size_t most) {
  constexpr std::string_view kLineEnd = "\r\n", kHeadEnd = "\r\n\r\n";
  constexpr std::size_t kMostHeadBytes = 1 << 14;
  std::vector<FormPart> parts;
  const std::string first = "--" + std::string(boundary), next = "\r\n" + first;
  std::size_t at = position_of(first, body, 0);
  if (boundary.empty()) throw UsageError("the Content-Type of the form names no boundary");
  if (at == std::string_view::npos)
    throw UsageError("the form does not have the boundary that its Content-Type names");
  at += first.size();
  while (!body.substr(at).starts_with("--")) {
    const std::string_view rest = body.substr(at, kMostHeadBytes);
    const std::string_view head = rest.substr(0, position_of(kHeadEnd, rest, 0));
    if (parts.size() == most) throw UsageError("the form has more than {} fields", most);
    if (head.size() == kMostHeadBytes)
      throw UsageError("the head of a field of the form has more than {} bytes", kMostHeadBytes);
    // An empty part shares its line end with the boundary.
    const std::size_t end =
        position_of(next, body, std::min(at + head.size() + kLineEnd.size(), body.size()));
    auto name = parameter_of(disposition_in(head), "name");
    if (head.size() == rest.size() || end == std::string_view::npos)
      throw UsageError("the form ends before its last boundary");
    if (!name || name->empty()) throw UsageError("a field of the form has no name");
    const std::size_t begin = std::min(at + head.size() + kHeadEnd.size(), end);
    parts.push_back({.name = std::move(*name),
                     .file_name = file_name_in(disposition_in(head)),
                     .bytes = body.substr(begin, end - begin)});
    at = end + next.size();
  }
  return parts;
}

FormFields multipart_fields(std::string_view body, std::string_view boundary) {
  FormFields fields;
  for (FormPart& part : multipart_parts(body, boundary, std::numeric_limits<std::size_t>::max()))
    fields.emplace_back(std::move(part.name), part.bytes);
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
