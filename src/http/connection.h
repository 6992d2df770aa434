// A connection of HTTP/1.1.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/io/spool.h"
#include "http/hub.h"

namespace nmt {

/// Reads a request, waits for its answer, writes it, and reads the next one, until either side ends the
/// connection. A connection lives as long as an operation is pending on its socket, or its request is being
/// handled.
class HttpConnection final : public Connection {
 public:
  using Connection::Socket;

  static void begin(HttpHub& hub, Socket socket);
  HttpConnection(HttpHub& hub, Socket socket);

  void take(std::uint64_t exchange, HttpResponse response) override;
  void take_part(std::uint64_t exchange, const std::string& part, bool is_last) override;
  std::optional<ServerTime> waits_since() const override { return waits_since_; }
  void close() override;

 private:
  bool probe() override;
  std::shared_ptr<HttpConnection> shared() {
    return std::static_pointer_cast<HttpConnection>(shared_from_this());
  }

  using Error = boost::system::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  void read_head();
  /// Skips the empty lines that some clients send after a body (RFC 9112, 2.2), and continues to read.
  void skip_empty_lines();
  void read_fields();
  /// Decides whether the body goes to memory or to a file. Returns the status to refuse the request with; 0:
  /// it is not refused.
  int place_body();
  void read_body();
  void read_more_of_body();
  /// Moves the part of the body that has arrived to the file, if there is one. Returns as place_body() does.
  int move_to_file();
  /// Answers "Expect: 100-continue" so that the client sends the body.
  void invite_body();
  /// Hands over a complete request.
  void dispatch();
  /// Returns the complete request; nothing if it is malformed. Throws nmt::Error if its file cannot be
  /// written.
  std::optional<HttpRequest> take_request();
  /// Answers a request that could not be read with an error, if the client is still connected.
  void fail(Error error);
  void refuse(int status);
  void respond(const HttpResponse& response);
  /// Returns the bytes that are not written yet.
  std::array<boost::asio::const_buffer, 2> unsent() const;
  void write();
  /// Continues after everything was written.
  void go_on();
  void finish();
  /// Ends the connection after reading the data that the client still sends, so that it does not miss the
  /// answer.
  void linger();

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<Spool> spool_;  // the file of the body, if it goes to one
  std::size_t spooled_ = 0;     // bytes in it
  std::string cause_;           // why the body cannot be in a file, if it cannot
  std::optional<ServerTime> waits_since_;
  std::uint64_t number_ = 0;  // of the current exchange, 0: none
  std::weak_ptr<HttpExchange> exchange_;
  std::shared_ptr<Connection> self_;  // set during an exchange
  bool keeps_open_ = false;
  std::string answer_;
  std::shared_ptr<const MemoryMap> file_;  // what follows answer_; null: nothing
  std::size_t sent_ = 0;                   // bytes of both
  // State of a streamed answer.
  bool is_streaming_ = false, is_writing_ = false;
  std::string next_;  // follows answer_
  std::string filler_;
};

}  // namespace nmt
