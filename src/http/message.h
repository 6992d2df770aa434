// Requests and answers of HTTP/1.1 (RFC 9110, RFC 9112).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/memory_map.h"

namespace nmt {

/// A request as received, or a message of a web socket (RFC 6455).
struct HttpRequest {
  enum class Kind : std::uint8_t {
    plain,
    handshake,  // request for a web socket; an answer of status 101 opens it
    message     // text message of a web socket, in `body`; the other members are those of its handshake; an
                // error closes the socket
  };

  Kind kind = Kind::plain;
  std::string method;                         // "GET"
  std::string path;                           // without the query, percent-decoded: "/languages"
  std::string query;                          // after "?", as it was sent: "type=target"
  std::map<std::string, std::string> fields;  // names in lower case; the last of equal names counts
  std::string body;
  std::string client;  // address of the client
  /// The body if it is in a file, instead of `body` (see HttpSettings::most_in_file); else null.
  std::shared_ptr<const MemoryMap> file = nullptr;

  /// Returns the value of a field; empty if it is missing. `name` is in lower case.
  std::string_view field(const std::string& name) const;
  /// Returns the media type of the body, in lower case, without parameters: "application/json".
  std::string body_type() const;
  /// Returns a parameter of the media type of the body: "x" for `boundary` in "multipart/form-data;
  /// boundary=x". Empty if it is missing.
  std::string body_parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> fields = {};  // additional fields
  /// Whether the body is only a beginning without a known length; more follows (HttpExchange::send()).
  bool is_streamed = false;
  /// Bytes without meaning that may be sent between the parts of a streamed body, such as a comment. The
  /// server sends them to find out whether a client that has shut down its side still listens.
  std::string filler = {};
  /// A file that is the body, instead of `body`; null: none. It is sent as it is read.
  std::shared_ptr<const MemoryMap> file = nullptr;

  /// The number of bytes of the body, or of its beginning if it is streamed.
  std::size_t body_size() const { return file ? file->size() : body.size(); }
};

/// Returns the reason phrase of a status: "Not Found".
std::string_view reason_of_status(int status);

/// The form in which a response is serialized.
struct ResponseForm {
  bool with_body = true;    // false for HEAD
  bool keeps_open = false;  // whether the connection stays open for further requests
};
/// Returns the bytes of a response; of one whose body is a file, those before the body.
std::string bytes_of(const HttpResponse& response, const ResponseForm& form);

/// Decodes %XX, and + as a space if `plus_is_blank`; returns nothing if a % does not begin a byte.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

/// Encodes all bytes but letters of ASCII, digits, '.', '-', '_' and '~' as %XX.
std::string percent_encoded(std::string_view text);

/// Names and values of a form, in order.
using FormFields = std::vector<std::pair<std::string, std::string>>;

/// Parses the fields of a body of type application/x-www-form-urlencoded; returns nothing if it is malformed.
std::optional<FormFields> form_fields(std::string_view body);
/// A part of a body of type multipart/form-data (RFC 7578).
struct FormPart {
  std::string name;
  std::optional<std::string> file_name;  // none: the part is not a file
  std::string_view bytes;                // in the body
};

/// Parses a body of type multipart/form-data, whose parts `boundary` separates. Throws UsageError that says
/// what is wrong if it is malformed, or has more than `most` parts. Takes linear time. Double quotes and line
/// ends in the names of files, which browsers encode as %22, %0D and %0A, are decoded.
std::vector<FormPart> multipart_parts(std::string_view body, std::string_view boundary, std::size_t most);
/// Parses a body of type multipart/form-data. A file counts as a text. Throws UsageError as
/// multipart_parts() does.
FormFields multipart_fields(std::string_view body, std::string_view boundary);

/// Returns the name or address in a field `Host`, or in the part of an `Origin` after the scheme, without a
/// port, in lower case: "localhost", "127.0.0.1", "::1".
std::string host_name(std::string_view host);
/// Whether a host is "localhost" or a loopback address.
bool is_loopback(const std::string& name);
/// Whether a host is an address, not a name, so that no name server is involved.
bool is_address(const std::string& name);

}  // namespace nmt
