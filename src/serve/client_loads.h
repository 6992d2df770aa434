// How much clients have under way, and the priority that follows from it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "translate/service/translation_request.h"

namespace nmt {

/// Adds up the work (estimated_work()) that each client has under way at a model. A client that asks for more
/// than about four usual sentences at a time is served in the background until all of its requests are done,
/// so that whatever it sends takes little time of the others. For any thread.
class ClientLoads {
 public:
  /// Adds a request to those that the client has under way, and returns the priority of this request.
  Priority add(const std::string& client, std::int64_t work);
  /// A request is under way no longer.
  void remove(const std::string& client, std::int64_t work);

 private:
  struct Load {
    std::int64_t requests = 0, work = 0;
    Priority priority = Priority::interactive;
  };

  std::mutex mutex_;
  std::unordered_map<std::string, Load> loads_;  // of clients with requests under way
};

}  // namespace nmt
