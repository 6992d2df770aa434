// A server of HTTP/1.1 and web sockets (RFC 6455).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "http/message.h"

namespace nmt {

struct HttpLimits {
  std::size_t connections = 1024;
  std::size_t head_bytes = 1 << 14;
  std::size_t body_bytes = 1 << 20;         // of a request body or a web socket message
  std::size_t all_bodies_bytes = 1 << 24;   // of all bodies and messages together that are not answered yet
  std::size_t all_files_bytes = 1 << 28;    // of all bodies in files together that are not answered yet
  std::chrono::milliseconds head{30'000};   // until the head of the next request is complete
  std::chrono::milliseconds body{30'000};   // until its body is complete; of one in a file, the next MiB
  std::chrono::milliseconds stall{10'000};  // without the client accepting a byte of the answer
};

struct HttpSettings {
  /// An address of this machine, or "localhost".
  std::string host = "127.0.0.1";
  /// Port; 0: any free port.
  int port = 0;
  /// A listening socket, which the server then owns, instead of host and port.
  std::optional<int> socket = std::nullopt;
  HttpLimits limits = {};
  /// Whether a connection may carry more than one request.
  bool keeps_open = true;
  /// Handles a request, answering at once or later, on any thread. It must not throw, and must return
  /// quickly.
  std::function<void(std::shared_ptr<HttpExchange>)> handle;
  /// Returns the maximum number of bytes of a body that goes to an unnamed file, HttpRequest::file, for a
  /// method and a path as it is written; 0: the body goes to memory, and HttpLimits::body_bytes is its
  /// maximum.
  std::function<std::size_t(std::string_view method, std::string_view path)> most_in_file =
      [](std::string_view, std::string_view) { return std::size_t{0}; };
  /// Returns the status with which a request is refused before its body is read, for a method, a path as it
  /// is written, and the field `Authorization`; 0: it is read.
  std::function<int(std::string_view method, std::string_view path, std::string_view authorization)>
      status_of_head = [](std::string_view, std::string_view, std::string_view) { return 0; };
  /// Returns the answer to a request that cannot be handled; `client` is an address, `path`
  /// that of the target, as it is written, or empty if it is not known; `cause` says why its body cannot be
  /// written to a file (507), and is empty otherwise. Such a request is malformed (400),
  /// exceeds a limit (413, 431), or is a handshake of another version of web sockets (426), or open requests
  /// leave no memory for its body (503), or its body cannot be written to a file (507), or status_of_head()
  /// refuses it. A request that is too slow gets no answer.
  std::function<HttpResponse(int status, const std::string& client, std::string_view path,
                             const std::string& cause)>
      refuse = [](int status, const std::string&, std::string_view, const std::string&) {
        return HttpResponse{.status = status, .body = std::string(reason_of_status(status)) + '\n'};
      };
};

/// Returns the address that a socket listens on ("::1"). Throws Error if it is not a listening TCP socket.
std::string listening_address(int socket);

struct HttpHub;

/// Manages connections, each with one request at a time. No connection can block the others: one that exceeds
/// a limit is closed. If there are too many connections, the one that has waited longest for a request is
/// closed; if bodies take too much memory, the one whose body has been arriving longest. All work is done on
/// the thread that calls run_for().
class HttpServer {
 public:
  /// Listens, unless a listening socket is given. Throws UsageError for a host that is not an address, and
  /// Error if the port is in use or not permitted.
  explicit HttpServer(HttpSettings settings);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

  /// Serves for this time.
  void run_for(std::chrono::milliseconds time);
  /// Stops accepting connections and requests; requests already received are still answered.
  void drain();
  /// Calls a function soon on the thread that serves. May be called on any thread.
  void post(std::function<void()> function);
  /// Returns the number of connections. May be called on any thread.
  std::size_t connections() const;
  /// Whether any connection has an unanswered request.
  bool is_busy() const;

 private:
  std::unique_ptr<HttpHub> hub_;
};

}  // namespace nmt
