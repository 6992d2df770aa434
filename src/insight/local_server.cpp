#include "insight/local_server.h"

#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

constexpr std::chrono::milliseconds kTick{200};  // shorter than the time to answer a request to stop

HttpResponse refusal(int status, std::string_view reason) {
  return {.status = status, .body = fmt::format("{}\n{}", reason_of_status(status), reason)};
}

HttpResponse document(Document found) {
  return {.type = found.type + "; charset=utf-8",
          .body = std::move(found.text),
          .fields = {{"Cache-Control", "no-store"},
                     {"X-Content-Type-Options", "nosniff"},
                     {"X-Frame-Options", "DENY"},
                     {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

}  // namespace

HttpResponse document_answer(const HttpRequest& request, const DocumentSource& documents) {
  if (!is_loopback(host_name(request.field("host")))) return refusal(403, "");
  if (request.kind != HttpRequest::Kind::plain || (request.method != "GET" && request.method != "HEAD"))
    return refusal(405, "");
  try {
    std::optional<Document> found = documents(request.path);
    return found ? document(std::move(*found)) : refusal(404, "");
  } catch (const Error& error) {
    return refusal(503, error.what());
  }
}

LocalServer::LocalServer(int port, DocumentSource documents)
    : server_({.port = port,
               .limits = {.connections = 64, .body_bytes = 0},
               .keeps_open = false,
               .handle = [documents = std::move(documents)](const std::shared_ptr<HttpExchange>& exchange) {
                 exchange->answer(document_answer(exchange->request(), documents));
               }}) {}

void LocalServer::serve(const StopRequest& stop) {
  for (;;) {
    stop.check();
    server_.run_for(kTick);
  }
}

}  // namespace nmt
