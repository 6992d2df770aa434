// A connection that has become a web socket (RFC 6455).
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

/// Each message of text is an exchange, whose answer is a message of text; the next message is read when it
/// is sent. A client that says nothing for long is asked whether it is there.
class WebSocket final : public Connection {
 public:
  using Handshake = boost::beast::http::request<boost::beast::http::string_body>;

  /// Answers the handshake.
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
  /// Closes it in the way of the protocol, for the reason that this response gives.
  void refuse(const HttpResponse& response);

  boost::beast::websocket::stream<boost::beast::tcp_stream> socket_;
  boost::beast::flat_buffer buffer_;
  HttpRequest request_;  // the handshake
  std::optional<ServerTime> waits_since_;
  std::uint64_t number_ = 0;  // of the exchange under way, 0: none
  std::weak_ptr<HttpExchange> exchange_;
  std::shared_ptr<Connection> self_;  // while one is
  std::string answer_;
};

}  // namespace nmt
