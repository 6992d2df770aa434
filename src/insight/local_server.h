// An HTTP server that only programs on this machine can reach.
#pragma once

#include <cstdint>

#include "common/io/file_descriptor.h"
#include "common/process/stop_request.h"
#include "insight/connection_pool.h"

namespace nmt {

class LocalServer {
 public:
  /// Listens on 127.0.0.1. `port` 0: one that is free. Throws Error when the port is taken or not allowed.
  explicit LocalServer(int port);

  int port() const { return port_; }

  /// Answers requests, one after another in this thread, until `stop` asks for the end: throws Interrupted.
  /// Those that do not come to an end keep nobody waiting (see ConnectionPool).
  [[noreturn]] void serve(const DocumentSource& documents, const StopRequest& stop) const;

 private:
  /// Takes one of those who wait, if any. False when it is no use to try again at once.
  bool accept(ConnectionPool& connections) const;

  FileDescriptor listener_;
  int port_ = 0;
};

}  // namespace nmt
