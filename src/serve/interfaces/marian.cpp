// The web socket of marian-server.
#include <nlohmann/json.hpp>

#include "common/text/utf8.h"
#include "serve/interfaces/interfaces.h"

namespace nmt {
namespace {

/// Returns the lines of a message. A line end at its end does not begin another line.
std::vector<std::string> lines_of(const std::string& message) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < message.size() || lines.empty();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    repair_utf8(lines.emplace_back(message.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

HttpResponse message_of_lines(const std::vector<TranslationResult>& results) {
  std::string message;
  for (const TranslationResult& result : results) {
    if (result.failure) std::rethrow_exception(result.failure);
    if (!message.empty() || &result != &results.front()) message += '\n';
    message += result.translations.front().text;
  }
  return {.body = std::move(message)};
}

}  // namespace

void answer_marian(Call& call) {
  if (call.request().kind == HttpRequest::Kind::handshake) return call.answer({.status = 101});
  std::optional<ModelRoute> route =
      call.open({0}, [](const ServedModel& model, bool) { return usual_request(model); });
  if (!route) return;
  TextsRequest request{
      .texts = lines_of(call.request().body), .routes = {std::move(*route)}, .splits = false};
  call.admit(request.texts.size());
  request.numbers.resize(request.texts.size(), 0);
  call.translate(std::move(request), message_of_lines);
}

}  // namespace nmt
