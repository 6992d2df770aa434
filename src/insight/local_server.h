// Documents for the browsers of one machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/process/stop_request.h"
#include "http/server.h"

namespace nmt {

struct Document {
  std::string type;  // "text/html"
  std::string text;
};

/// Gives the document of a path, such as "/data.json"; nothing where there is none. An Error is what the
/// answer then says.
using DocumentSource = std::function<std::optional<Document>(std::string_view path)>;

/// What such a server answers. Only GET and HEAD are answered, and only where the request is addressed to
/// this machine itself: a page of another site whose name has come to lead here (DNS rebinding) gets nothing.
HttpResponse document_answer(const HttpRequest& request, const DocumentSource& documents);

class LocalServer {
 public:
  /// Listens on 127.0.0.1. `port` 0: one that is free. Throws Error when the port is taken or not allowed.
  LocalServer(int port, DocumentSource documents);

  int port() const { return server_.port(); }

  /// Answers requests, one after another in this thread, until `stop` asks for the end: throws Interrupted.
  [[noreturn]] void serve(const StopRequest& stop);

 private:
  HttpServer server_;
};

}  // namespace nmt
