// The paths of a server, and the interfaces that answer them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"
#include "serve/call.h"

namespace nmt {

/// The clients that may use a path, if there are keys.
enum class Access : std::uint8_t {
  all,  // or the interface asks for a key itself
  clients,
  operators
};

struct Route {
  HttpRequest::Kind kind;
  std::string_view method;
  std::string_view path;  // "*" stands for any segment: "/v2/glossaries/*"
  const char* interface;  // its name, for logs
  Access access;
  Interface answer;
  bool is_immediate = false;  // answered on the thread of the connections
  ErrorBody error_body = usual_error_body;
  bool takes_document = false;  // its body goes to a file
};

/// Returns the route of a request. Throws CallError for an unknown path, and WrongMethod for a known one.
const Route& route_of(const HttpRequest& request);

/// Returns the route of requests whose body is a document, which goes to a file; null: it is another request.
/// `path`: as it is written.
const Route* document_route(std::string_view method, std::string_view path);

/// Returns the form of errors of the interface that a path belongs to. An unknown path belongs to the first
/// interface that has a path with the same first segment.
ErrorBody error_body_of(std::string_view path);

/// Returns a segment of a path, counted from 0: "languages" is segment 1 of "/v2/languages". Empty if there
/// is none.
std::string_view segment_of(std::string_view path, std::size_t number);

}  // namespace nmt
