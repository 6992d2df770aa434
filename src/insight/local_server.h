// A web server for browsers on the same machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/job_context.h"
#include "http/server.h"

namespace nmt {

struct Document {
  std::string type;  // "text/html"
  std::string text;
};

/// Returns the document of a path, such as "/data.json"; nothing for an unknown path. An Error becomes the
/// text of the answer.
using DocumentSource = std::function<std::optional<Document>(std::string_view path)>;

/// Returns the answer to a request. Answers only GET and HEAD, and only requests addressed to this machine
/// itself, so that a page of another site whose name resolves to this machine (DNS rebinding) gets nothing.
HttpResponse document_answer(const HttpRequest& request, const DocumentSource& documents);

class LocalServer {
 public:
  /// Listens on 127.0.0.1. `port` 0: any free port. Throws Error if the port is in use or not permitted.
  LocalServer(int port, DocumentSource documents);

  int port() const { return server_.port(); }

  /// Answers requests one after another on this thread until `stop` requests to stop; then throws
  /// Interrupted.
  [[noreturn]] void serve(const StopRequest& stop);

 private:
  HttpServer server_;
};

}  // namespace nmt
