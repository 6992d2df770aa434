// A server of HTTP/1.1 and web sockets (RFC 6455).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/exchange.h"
#include "http/message.h"

namespace nmt {

struct HttpLimits {
  std::size_t connections = 1024;
  std::size_t head_bytes = 1 << 14;
  std::size_t body_bytes = 1 << 20;         // of a message of a web socket as well
  std::size_t all_bodies_bytes = 1 << 24;   // of all bodies and messages together, until they are answered
  std::chrono::milliseconds head{30'000};   // until the whole head of the next request is there
  std::chrono::milliseconds body{30'000};   // until all of its body is there
  std::chrono::milliseconds stall{10'000};  // without a byte of the answer being taken
};

struct HttpSettings {
  /// An address of this machine, or "localhost".
  std::string host = "127.0.0.1";
  /// 0: one that is free.
  int port = 0;
  /// A socket that listens already, which the server owns then, in the place of host and port.
  std::optional<int> socket = std::nullopt;
  HttpLimits limits = {};
  /// Whether a connection is for more than one request.
  bool keeps_open = true;
  /// What answers a request, at once or later, on any thread; must not throw, nor take long.
  std::function<void(std::shared_ptr<HttpExchange>)> handle;
  /// The answer to a request of `client`, an address, that cannot be handled: one that is malformed (400),
  /// one beyond a limit (413, 431), a handshake of another version of web sockets (426), and one whose body
  /// finds no room beside those that are being answered (503). A request that is late gets no answer.
  std::function<HttpResponse(int status, const std::string& client)> refuse = [](int status,
                                                                                 const std::string&) {
    return HttpResponse{.status = status, .body = std::string(reason_of_status(status)) + '\n'};
  };
};

/// The address that a socket listens on ("::1"). Throws Error for one that does not, or is not of TCP.
std::string listening_address(int socket);

struct HttpHub;

/// Connections that come and go, each with one request at a time. None can keep the others waiting: one that
/// breaks a limit is closed. Where there are too many connections, the one that has waited for a request for
/// the longest time is closed; where bodies take too much memory, the one whose body has been coming for the
/// longest time. All that it does is done on the thread that calls run_for().
class HttpServer {
 public:
  /// Listens, unless there is a socket that does. Throws UsageError for a host that is no address, and Error
  /// where the port is taken or not allowed.
  explicit HttpServer(HttpSettings settings);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

  /// Serves for so long.
  void run_for(std::chrono::milliseconds time);
  /// Takes no further connections and no further requests, but those that are there are answered.
  void drain();
  /// How many connections there are.
  std::size_t connections() const;
  /// Whether one of them has a request that is not answered yet.
  bool is_busy() const;

 private:
  std::unique_ptr<HttpHub> hub_;
};

}  // namespace nmt
