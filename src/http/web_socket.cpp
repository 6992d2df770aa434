#include "http/web_socket.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <string>
#include <utility>

#include "common/text/utf8.h"

namespace nmt {

namespace websocket = boost::beast::websocket;

namespace {

constexpr std::size_t kPartBytes = 1 << 14;
constexpr std::size_t kLongestReason = 123;  // RFC 6455, section 5.5

/// Returns the reason for closing a socket when a message is rejected.
websocket::close_reason reason_of(const HttpResponse& response) {
  const bool is_busy = response.status == 429 || response.status == 503;
  const auto code = is_busy                  ? websocket::close_code::try_again_later
                    : response.status == 413 ? websocket::close_code::too_big
                    : response.status < 500  ? websocket::close_code::policy_error
                                             : websocket::close_code::internal_error;
  return {code, std::string(beginning_of(response.body, kLongestReason))};
}

}  // namespace

WebSocket::WebSocket(HttpHub& server, boost::beast::tcp_stream stream, HttpRequest request)
    : Connection(server), socket_(std::move(stream)), request_(std::move(request)) {
  request_.kind = HttpRequest::Kind::message;
  request_.body.clear();
  socket_.next_layer().expires_never();  // the web socket has its own timers
  socket_.set_option(websocket::stream_base::timeout::suggested(boost::beast::role_type::server));
  socket_.read_message_max(limits().body_bytes);
}

void WebSocket::begin(HttpHub& hub, boost::beast::tcp_stream stream, HttpRequest request,
                      const Handshake& handshake) {
  const auto socket = std::make_shared<WebSocket>(hub, std::move(stream), std::move(request));
  socket->socket_.async_accept(handshake, [socket](Error error) {
    if (!error) socket->read();
  });
}

void WebSocket::close() {
  const auto self = std::exchange(self_, nullptr);
  hold(0);
  Error ignored;
  socket_.next_layer().socket().close(ignored);
  number_ = 0;
  if (const auto exchange = std::exchange(exchange_, {}).lock()) exchange->abandon();
}

void WebSocket::read() {
  if (hub().is_draining) {
    socket_.async_close(websocket::close_code::going_away, [self = shared()](Error) {});
    return;
  }
  waits_since_ = std::chrono::steady_clock::now();
  hold(0);
  read_more();
}

void WebSocket::read_more() {
  socket_.async_read_some(buffer_, kPartBytes, [self = shared()](Error error, std::size_t) {
    if (error) return self->close();
    if (!self->hold(self->buffer_.capacity()))
      return self->refuse(self->hub().settings.refuse(503, self->request_.client, self->request_.path, ""));
    if (!self->socket_.is_message_done()) return self->read_more();
    self->dispatch();
  });
}

void WebSocket::dispatch() {
  waits_since_.reset();
  HttpRequest request = request_;
  request.body = boost::beast::buffers_to_string(buffer_.data());
  buffer_.clear();
  buffer_.shrink_to_fit();
  hold(request.body.size());
  self_ = shared_from_this();
  number_ = hub().exchanges + 1;
  watch(boost::beast::get_lowest_layer(socket_).socket(), self_);
  exchange_ = hub().begin(std::move(request), self_);
}

void WebSocket::take(std::uint64_t exchange, HttpResponse response) {
  if (exchange != number_) return;
  const auto self = shared();
  self_ = nullptr;
  number_ = 0;
  stop_watching(boost::beast::get_lowest_layer(socket_).socket());
  if (response.status >= 400) return refuse(response);
  answer_ = std::move(response.body);
  socket_.text(true);
  socket_.async_write(boost::asio::buffer(answer_), [self](Error error, std::size_t) {
    if (error) return self->close();
    self->read();
  });
}

void WebSocket::refuse(const HttpResponse& response) {
  hold(0);
  socket_.async_close(reason_of(response), [self = shared()](Error) {});
}

}  // namespace nmt
