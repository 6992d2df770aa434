#include "http/exchange.h"

namespace nmt {

HttpExchange::~HttpExchange() {
  answer({.status = 500, .body = "not answered\n"});
  send("", true);
}

void HttpExchange::answer(HttpResponse response) {
  if (answered_.exchange(true)) return;
  streams_ = response.is_streamed;
  post_([taker = taker_, number = number_, response = std::move(response)]() mutable {
    if (const auto connection = taker.lock()) connection->take(number, std::move(response));
  });
}

void HttpExchange::send(std::string part, bool is_last) {
  if (is_last ? !streams_.exchange(false) : !streams_.load()) return;
  post_([taker = taker_, number = number_, part = std::move(part), is_last] {
    if (const auto connection = taker.lock()) connection->take_part(number, part, is_last);
  });
}

void HttpExchange::abandon() {
  answered_ = true;
  streams_ = false;
  if (const auto function = std::exchange(abandoned_, nullptr)) function();
}

}  // namespace nmt
