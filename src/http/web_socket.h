// A connection that was upgraded to a web socket (RFC 6455).
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/hub.h"

namespace nmt {

/// Handles each text message as an exchange, whose answer is a text message; reads the next message after the
/// answer was sent. Pings a client that is silent for long.
class WebSocket final : public Connection {
 public:
  using Handshake = boost::beast::http::request<boost::beast::http::string_body>;

  /// Answers the handshake and starts reading messages.
  static void begin(HttpHub& hub, boost::beast::tcp_stream stream, HttpRequest request,
                    const Handshake& handshake);
  WebSocket(HttpHub& hub, boost::beast::tcp_stream stream, HttpRequest request);

  void take(std::uint64_t exchange, HttpResponse response) override;
  std::optional<ServerTime> waits_since() const override { return waits_since_; }
  void close() override;

 private:
  std::shared_ptr<WebSocket> shared() { return std::static_pointer_cast<WebSocket>(shared_from_this()); }

  using Error = boost::system::error_code;

  void read();
  void read_more();
  void dispatch();
  /// Closes the socket as the protocol requires, for the reason in this response.
  void refuse(const HttpResponse& response);

  boost::beast::websocket::stream<boost::beast::tcp_stream> socket_;
  boost::beast::flat_buffer buffer_;
  HttpRequest request_;  // the handshake
  std::optional<ServerTime> waits_since_;
  std::uint64_t number_ = 0;  // of the current exchange, 0: none
  std::weak_ptr<HttpExchange> exchange_;
  std::shared_ptr<Connection> self_;  // set during an exchange
  std::string answer_;
};

}  // namespace nmt
