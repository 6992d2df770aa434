// Requests and answers of HTTP/1.1 (RFC 9110, RFC 9112).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

/// A request as it has come, or a message of a web socket (RFC 6455).
struct HttpRequest {
  enum class Kind : std::uint8_t {
    plain,
    handshake,  // asks for a web socket; an answer of status 101 opens it
    message     // a text of a web socket, in `body`; all else is that of its handshake; an error closes the
                // socket
  };

  Kind kind = Kind::plain;
  std::string method;                         // "GET"
  std::string path;                           // without the query, percent-decoded: "/languages"
  std::map<std::string, std::string> fields;  // names in lower case; the last of equal ones
  std::string body;
  std::string client;  // its address

  /// Empty where there is none; `name` in lower case.
  std::string_view field(const std::string& name) const;
  /// The type of the body, in lower case, without parameters: "application/json".
  std::string body_type() const;
  /// A parameter of the type of the body: "x" for `boundary` in "multipart/form-data; boundary=x". Empty
  /// where there is none.
  std::string body_parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> fields = {};  // further ones
  /// The body is a beginning, of which no length is told: more follows (HttpExchange::send).
  bool is_streamed = false;
  /// Bytes without a meaning that may stand between the parts of a streamed body, such as a comment. The
  /// server sends them to find out whether a client that has shut down its side still listens.
  std::string filler = {};
};

/// "Not Found".
std::string_view reason_of_status(int status);

/// The bytes of a response.
struct ResponseForm {
  bool with_body = true;    // not to HEAD
  bool keeps_open = false;  // the connection is for further requests
};
std::string bytes_of(const HttpResponse& response, const ResponseForm& form);

/// Decodes %XX, and + as a blank where `plus_is_blank`; nothing where a % is no beginning of a byte.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

/// Names and values of a form, in their order.
using FormFields = std::vector<std::pair<std::string, std::string>>;

/// The fields of a body of type application/x-www-form-urlencoded; nothing where it is malformed.
std::optional<FormFields> form_fields(std::string_view body);
/// The fields of a body of type multipart/form-data (RFC 7578), whose parts `boundary` divides; nothing where
/// it is malformed. A file counts as a text.
std::optional<FormFields> multipart_fields(std::string_view body, std::string_view boundary);

/// The name or address in a field `Host` or in what follows the scheme of an `Origin`, without a port, in
/// lower case: "localhost", "127.0.0.1", "::1".
std::string host_name(std::string_view host);
/// Whether a host is "localhost" or an address of this machine for itself.
bool is_loopback(const std::string& name);
/// Whether a host is an address and no name: what no name server has a say in.
bool is_address(const std::string& name);

}  // namespace nmt
