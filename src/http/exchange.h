// A request on its way to its answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/message.h"

namespace nmt {

/// Where answers go: a connection. Called on the thread of the server.
class AnswerTaker {
 public:
  virtual ~AnswerTaker() = default;
  /// `exchange`: its number.
  virtual void take(std::uint64_t exchange, HttpResponse response) = 0;
  /// More of an answer that is streamed, which those of web sockets are not.
  virtual void take_part(std::uint64_t /*exchange*/, const std::string& /*part*/, bool /*is_last*/) {}
};

/// A request, which those who work on it share. It is answered once, at once or in parts; where all let go of
/// it before, by 500.
class HttpExchange {
 public:
  /// Has a function called on the thread of the server, soon. For any thread.
  using Post = std::function<void(std::function<void()>)>;

  /// `number`: none that another exchange of this connection has.
  HttpExchange(HttpRequest request, std::uint64_t number, std::weak_ptr<AnswerTaker> taker, Post post)
      : request_(std::move(request)), number_(number), taker_(std::move(taker)), post_(std::move(post)) {}
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  const HttpRequest& request() const { return request_; }

  /// Sends the answer; only the first one counts. Any thread.
  void answer(HttpResponse response);
  /// Sends more of an answer that is streamed, which ends with the last part, or when all let go of this. Any
  /// thread.
  void send(std::string part, bool is_last);
  /// Has a function called on the thread of the server. Any thread.
  void post(std::function<void()> function) const { post_(std::move(function)); }

  // The following are for the thread of the server alone.

  /// Has a function called when the client goes away before it is answered.
  void on_abandoned(std::function<void()> function) { abandoned_ = std::move(function); }
  /// The client is gone.
  void abandon();

 private:
  HttpRequest request_;
  std::uint64_t number_;
  std::weak_ptr<AnswerTaker> taker_;
  Post post_;
  std::atomic<bool> answered_ = false, streams_ = false;
  std::function<void()> abandoned_;
};

}  // namespace nmt
