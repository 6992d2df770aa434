#include "http/exchange.h"

namespace nmt {

HttpExchange::~HttpExchange() {
  answer({.status = 500, .body = "not answered\n"});
}

void HttpExchange::answer(HttpResponse response) {
  if (answered_.exchange(true)) return;
  post_([taker = taker_, number = number_, response = std::move(response)]() mutable {
    if (const auto connection = taker.lock()) connection->take(number, std::move(response));
  });
}

void HttpExchange::abandon() {
  answered_ = true;
  if (const auto function = std::exchange(abandoned_, nullptr)) function();
}

}  // namespace nmt
