// The work in progress for each client, and the priority that follows from it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "translate/service/translation_request.h"

namespace nmt {

/// Adds up the work (estimated_work()) in progress for each client of a model. A client that asks for more
/// than about four usual sentences at a time is served in the background until all of its requests are done,
/// so that it takes little time from other clients. Thread-safe.
class ClientLoads {
 public:
  /// Adds a request of a client, and returns the priority of this request.
  Priority add(const std::string& client, std::int64_t work);
  /// Removes a request that is done.
  void remove(const std::string& client, std::int64_t work);

 private:
  struct Load {
    std::int64_t requests = 0, work = 0;
    Priority priority = Priority::interactive;
  };

  std::mutex mutex_;
  std::unordered_map<std::string, Load> loads_;  // clients with requests in progress
};

}  // namespace nmt
