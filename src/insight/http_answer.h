// What a server for the browsers of one machine answers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

struct Document {
  std::string type;  // "text/html"
  std::string text;
};

/// Gives the document of a path, such as "/data.json"; nothing where there is none. An Error is what the
/// answer then says.
using DocumentSource = std::function<std::optional<Document>(std::string_view path)>;

/// The answer to a request of HTTP/1.1 (RFC 9112), of which `head` is all up to the empty line. Only GET and
/// HEAD are answered, and only where the request is addressed to localhost or 127.0.0.1, whatever the port: a
/// page of another site whose name has come to lead to this machine (DNS rebinding) gets nothing.
std::string http_answer(std::string_view head, const DocumentSource& documents);

}  // namespace nmt
