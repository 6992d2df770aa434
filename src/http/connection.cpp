#include "http/connection.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <limits>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "http/web_socket.h"

namespace nmt {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::chrono::seconds kLinger{2};
constexpr std::size_t kLingerBytes = 1 << 14;
constexpr std::size_t kFirstBytes = 512;  // of a request, which are read at once
constexpr std::size_t kMebibyte = 1 << 20;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

/// Returns the status for an invalid request; 0 if the client cannot be answered.
int status_of(const boost::system::error_code& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  return error.category() == make_error_code(http::error::bad_version).category() ? 400 : 0;
}

/// Returns the status for a head that leaves open where its body ends (RFC 9112, 6.1 and 6.3), as the next
/// request would begin somewhere else for a proxy; 0: it is clear. The parser refuses unclear lengths, but it
/// takes a body for empty whose coding it does not know.
int status_of_framing(const http::request<http::string_body>& head) {
  const auto codings = head.count(http::field::transfer_encoding);
  if (codings == 0) return 0;
  if (codings > 1 || head.version() < 11) return 400;
  return beast::iequals(head[http::field::transfer_encoding], "chunked") ? 0 : 501;
}

std::string client_of(const HttpConnection::Socket& socket) {
  boost::system::error_code ignored;
  return socket.remote_endpoint(ignored).address().to_string();
}

/// Returns the status for a handshake that a web socket would reject (RFC 6455, section 4.2.1); 0: it is
/// valid.
int status_of_handshake(const http::request<http::string_body>& message) {
  constexpr std::size_t kKeySize = 24;  // 16 bytes as base64
  if (message.count(http::field::host) != 1) return 400;
  if (message[http::field::sec_websocket_key].size() != kKeySize) return 400;
  return message[http::field::sec_websocket_version] == "13" ? 0 : 426;
}

/// Returns the path and query of a target, which proxies may precede by scheme and host (RFC 9112, 3.2.2).
std::string_view path_and_query(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (!target.starts_with(kScheme)) return target;
  const std::size_t path = target.find('/', kScheme.size());
  return path == std::string_view::npos ? "/" : target.substr(path);
}

/// Whether a request names the host that it is for (RFC 9112, 3.2), which HTTP/1.0 does not require.
bool names_host(const http::request<http::string_body>& message) {
  const auto hosts = message.count(http::field::host);
  if (hosts == 0) return message.version() < 11;
  return hosts == 1 && message[http::field::host].find_first_of(" \t,") == std::string_view::npos;
}

/// Converts a parsed request; nothing if it is malformed nevertheless.
std::optional<HttpRequest> request_of(http::request<http::string_body>& message,
                                      const HttpConnection::Socket& socket) {
  const std::string_view target = path_and_query({message.target().data(), message.target().size()});
  const std::size_t path_size = std::min(target.find('?'), target.size());
  auto path = percent_decoded(target.substr(0, path_size), false);
  if (!path || !names_host(message)) return std::nullopt;
  HttpRequest request{.method = std::string(message.method_string()),
                      .path = std::move(*path),
                      .query = std::string(target.substr(std::min(path_size + 1, target.size()))),
                      .body = std::move(message.body()),
                      .client = client_of(socket)};
  for (const auto& field : message) {
    std::string name(field.name_string());
    for (char& c : name) c = static_cast<char>(beast::detail::ascii_tolower(c));
    request.fields[name] = std::string(field.value());
  }
  if (beast::websocket::is_upgrade(message)) request.kind = HttpRequest::Kind::handshake;
  return request;
}

}  // namespace

HttpConnection::HttpConnection(HttpHub& server, Socket socket)
    : Connection(server), stream_(std::move(socket)), buffer_(limits().head_bytes + (1 << 16)) {}

void HttpConnection::begin(HttpHub& hub, Socket socket) {
  std::make_shared<HttpConnection>(hub, std::move(socket))->read_head();
}

void HttpConnection::close() {
  const auto self = std::exchange(self_, nullptr);
  let_go();
  Error ignored;
  stream_.socket().close(ignored);
  number_ = 0;
  if (const auto exchange = std::exchange(exchange_, {}).lock()) exchange->abandon();
}

bool HttpConnection::probe() {
  if (is_streaming_) {
    if (filler_.empty()) return false;
    take_part(number_, filler_, false);
    return true;
  }
  // Sends an interim response, which clients of HTTP/1.1 skip (RFC 9110, 15.2); clients of HTTP/1.0 count as
  // connected.
  if (parser_->get().version() < 11) return true;
  const ssize_t sent = ::send(stream_.socket().native_handle(), kContinue.data(), kContinue.size(),
                              MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(kContinue.size());
}

void HttpConnection::read_head() {
  if (hub().is_draining) return close();
  waits_since_ = std::chrono::steady_clock::now();
  parser_.emplace();
  spool_.reset();
  let_go();
  if (buffer_.size() == 0) buffer_.shrink_to_fit();
  parser_->header_limit(static_cast<std::uint32_t>(limits().head_bytes));
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // see place_body()
  stream_.expires_after(limits().head);
  skip_empty_lines();
}

void HttpConnection::skip_empty_lines() {
  const auto bytes = static_cast<const char*>(buffer_.cdata().data());
  const std::string_view received(bytes, buffer_.size());
  std::size_t skipped = 0;
  while (received.substr(skipped).starts_with("\r\n")) skipped += 2;
  const bool may_follow = received.substr(skipped).empty() || received.substr(skipped) == "\r";
  buffer_.consume(skipped);
  if (!may_follow) return read_fields();
  stream_.async_read_some(buffer_.prepare(kFirstBytes), [self = shared()](Error error, std::size_t count) {
    if (error) return self->fail(error);
    self->buffer_.commit(count);
    self->skip_empty_lines();
  });
}

void HttpConnection::read_fields() {
  http::async_read_header(stream_, buffer_, *parser_, [self = shared()](Error error, std::size_t) {
    if (error) return self->fail(error);
    if (const int status = status_of_framing(self->parser_->get()); status != 0) return self->refuse(status);
    if (const int status = self->place_body(); status != 0) return self->refuse(status);
    const auto expect = self->parser_->get()[http::field::expect];
    if (!self->parser_->is_done() && beast::iequals(expect, "100-continue")) return self->invite_body();
    self->read_body();
  });
}

int HttpConnection::place_body() {
  const auto& head = parser_->get();
  const std::string_view target = path_and_query({head.target().data(), head.target().size()});
  const std::string_view method(head.method_string().data(), head.method_string().size());
  const std::string_view path = target.substr(0, target.find('?'));
  const auto authorization = head[http::field::authorization];
  const int status =
      hub().settings.status_of_head(method, path, {authorization.data(), authorization.size()});
  if (status != 0) return status;
  const std::size_t most_in_file = hub().settings.most_in_file(method, path);
  const std::size_t most = most_in_file > 0 ? most_in_file : limits().body_bytes;
  if (parser_->content_length().value_or(0) > most) return 413;
  parser_->body_limit(most);
  spooled_ = 0;
  try {
    if (most_in_file > 0 && !parser_->is_done()) spool_.emplace();
  } catch (const nmt::Error& error) {
    cause_ = error.what();
    return 507;
  }
  return 0;
}

void HttpConnection::invite_body() {
  stream_.expires_after(limits().stall);
  asio::async_write(stream_, asio::buffer(kContinue), [self = shared()](Error error, std::size_t) {
    if (error) return self->fail(error);
    self->read_body();
  });
}

void HttpConnection::read_body() {
  stream_.expires_after(limits().body);
  read_more_of_body();
}

void HttpConnection::read_more_of_body() {
  if (parser_->is_done()) return dispatch();
  http::async_read_some(stream_, buffer_, *parser_, [self = shared()](Error error, std::size_t) {
    if (error) return self->fail(error);
    if (const int status = self->move_to_file(); status != 0) return self->refuse(status);
    const bool has_room = self->hold(self->parser_->get().body().size() + self->buffer_.capacity());
    if (!has_room) return self->refuse(503);
    self->read_more_of_body();
  });
}

int HttpConnection::move_to_file() {
  if (!spool_) return 0;
  std::string& arrived = parser_->get().body();
  const std::size_t before = std::exchange(spooled_, spooled_ + arrived.size());
  if (before / kMebibyte < spooled_ / kMebibyte) stream_.expires_after(limits().body);
  try {
    spool_->append(arrived.data(), arrived.size());
  } catch (const nmt::Error& error) {
    cause_ = error.what();
    return 507;
  }
  arrived.clear();
  return hold_in_file(spooled_) ? 0 : 503;
}

void HttpConnection::fail(Error error) {
  const int status = status_of(error);
  if (status == 0) return close();
  refuse(status);
}

void HttpConnection::refuse(int status) {
  spool_.reset();
  let_go();
  keeps_open_ = false;
  const std::string_view target =
      path_and_query({parser_->get().target().data(), parser_->get().target().size()});
  HttpResponse response = hub().settings.refuse(
      status, client_of(stream_.socket()), target.substr(0, target.find('?')), std::exchange(cause_, ""));
  if (status == 426) response.fields.emplace_back("Sec-WebSocket-Version", "13");
  respond(response);
}

void HttpConnection::dispatch() {
  keeps_open_ = hub().settings.keeps_open && parser_->keep_alive();
  if (buffer_.size() == 0) buffer_.shrink_to_fit();
  hold(parser_->get().body().size());
  std::optional<HttpRequest> request;
  try {
    request = take_request();
  } catch (const nmt::Error& error) {
    cause_ = error.what();
    return refuse(507);
  }
  if (!request) return fail(http::error::bad_target);
  if (request->kind == HttpRequest::Kind::handshake) {
    if (const int status = status_of_handshake(parser_->get()); status != 0) return refuse(status);
  }
  waits_since_.reset();
  self_ = shared_from_this();
  number_ = hub().exchanges + 1;
  stream_.expires_never();
  watch(stream_.socket(), self_);
  exchange_ = hub().begin(std::move(*request), self_);
}

std::optional<HttpRequest> HttpConnection::take_request() {
  auto request = request_of(parser_->get(), stream_.socket());
  if (request && spool_) request->file = std::make_shared<const MemoryMap>(spool_->map());
  spool_.reset();
  return request;
}

void HttpConnection::take(std::uint64_t exchange, HttpResponse response) {
  if (exchange != number_) return;
  if (response.is_streamed) {  // the client is watched further
    is_streaming_ = true;
    filler_ = response.filler;
    keeps_open_ = false;
    return respond(response);
  }
  const auto self = std::exchange(self_, nullptr);
  number_ = 0;
  stop_watching(stream_.socket());
  if (response.status == 101) {
    if (auto request = request_of(parser_->get(), stream_.socket()))
      WebSocket::begin(hub(), std::move(stream_), std::move(*request), parser_->get());
    return;
  }
  respond(response);
}

void HttpConnection::take_part(std::uint64_t exchange, const std::string& part, bool is_last) {
  if (exchange != number_ || !is_streaming_) return;
  next_ += part;
  const auto self = shared();
  if (is_last) {
    is_streaming_ = false;
    number_ = 0;
  }
  if (!is_writing_) go_on();
}

void HttpConnection::respond(const HttpResponse& response) {
  keeps_open_ = keeps_open_ && !hub().is_draining;
  const bool with_body = parser_->get().method() != http::verb::head;
  answer_ = bytes_of(response, {.with_body = with_body, .keeps_open = keeps_open_});
  file_ = with_body ? response.file : nullptr;
  sent_ = 0;
  waits_since_.reset();
  write();
}

std::array<asio::const_buffer, 2> HttpConnection::unsent() const {
  const std::size_t of_answer = std::min(sent_, answer_.size());
  const auto of_file = file_ ? asio::buffer(file_->data(), file_->size()) : asio::const_buffer();
  return {asio::buffer(answer_) + of_answer, of_file + (sent_ - of_answer)};
}

void HttpConnection::write() {
  is_writing_ = true;
  stream_.expires_after(limits().stall);
  stream_.async_write_some(unsent(), [self = shared()](Error error, std::size_t count) {
    if (error) return self->close();
    self->sent_ += count;
    if (asio::buffer_size(self->unsent()) > 0) return self->write();
    self->file_ = nullptr;
    self->is_writing_ = false;
    self->go_on();
  });
}

void HttpConnection::go_on() {
  if (next_.empty()) {
    stream_.expires_never();
    if (is_streaming_) return;
    if (const auto self = std::exchange(self_, nullptr)) stop_watching(stream_.socket());
    return finish();
  }
  answer_ = std::exchange(next_, "");
  sent_ = 0;
  write();
}

void HttpConnection::finish() {
  answer_ = {};
  let_go();
  if (keeps_open_) return read_head();
  Error ignored;
  stream_.socket().shutdown(Socket::shutdown_send, ignored);
  waits_since_ = std::chrono::steady_clock::now();
  stream_.expires_after(kLinger);
  buffer_.clear();
  linger();
}

void HttpConnection::linger() {
  stream_.async_read_some(buffer_.prepare(kLingerBytes), [self = shared()](Error error, std::size_t) {
    if (error) return self->close();
    self->linger();
  });
}

}  // namespace nmt
