// A request and its pending answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/message.h"

namespace nmt {

/// Receives answers: a connection. Called on the thread of the server.
class AnswerTaker {
 public:
  virtual ~AnswerTaker() = default;
  /// `exchange`: its number.
  virtual void take(std::uint64_t exchange, HttpResponse response) = 0;
  /// Takes another part of a streamed answer; web sockets have none.
  virtual void take_part(std::uint64_t /*exchange*/, const std::string& /*part*/, bool /*is_last*/) {}
};

/// A request, shared by those who handle it. It is answered once, at once or in parts; if all release it
/// before, the answer is 500.
class HttpExchange {
 public:
  /// Calls a function soon on the thread of the server. May be called on any thread.
  using Post = std::function<void(std::function<void()>)>;

  /// `number`: unique among the exchanges of this connection.
  HttpExchange(HttpRequest request, std::uint64_t number, std::weak_ptr<AnswerTaker> taker, Post post)
      : request_(std::move(request)), number_(number), taker_(std::move(taker)), post_(std::move(post)) {}
  ~HttpExchange() {
    answer({.status = 500, .body = "not answered\n"});
    send("", true);
  }
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  const HttpRequest& request() const { return request_; }

  /// Sends the answer; only the first call counts. May be called on any thread.
  void answer(HttpResponse response) {
    if (answered_.exchange(true)) return;
    streams_ = response.is_streamed;
    post_([taker = taker_, number = number_, response = std::move(response)]() mutable {
      if (const auto connection = taker.lock()) connection->take(number, std::move(response));
    });
  }
  /// Sends another part of a streamed answer, which ends with the last part, or when all release this object.
  /// May be called on any thread.
  void send(std::string part, bool is_last) {
    if (is_last ? !streams_.exchange(false) : !streams_.load()) return;
    post_([taker = taker_, number = number_, part = std::move(part), is_last] {
      if (const auto connection = taker.lock()) connection->take_part(number, part, is_last);
    });
  }
  /// Calls a function on the thread of the server. May be called on any thread.
  void post(std::function<void()> function) const { post_(std::move(function)); }

  // The following members are only for the thread of the server.

  /// Sets a function to call if the client disconnects before the answer.
  void on_abandoned(std::function<void()> function) { abandoned_ = std::move(function); }
  /// Reports that the client has disconnected.
  void abandon() {
    answered_ = true;
    streams_ = false;
    if (const auto function = std::exchange(abandoned_, nullptr)) function();
  }

 private:
  HttpRequest request_;
  std::uint64_t number_;
  std::weak_ptr<AnswerTaker> taker_;
  Post post_;
  std::atomic<bool> answered_ = false, streams_ = false;
  std::function<void()> abandoned_;
};

}  // namespace nmt
