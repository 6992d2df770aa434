// Decides whose sentences are translated first: by priorities and, within a priority, by turns.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "translate/service/translation_request.h"

namespace nmt {

/// Assigns turn numbers to the requests of several clients. Sentences with lower turns are translated first,
/// so that a client with many requests, or with a long text, does not delay the others. This is start-time
/// fair queueing (Goyal et al., 1996) with a turn for each request. Thread-safe.
class FairTurns {
 public:
  /// Returns the first turn of a new request of this client: after the turns of its last request, unless
  /// turns have advanced further.
  std::int64_t next(const std::string& client);
  /// Records that a sentence of this turn is done.
  void pass(std::int64_t turn);

 private:
  std::mutex mutex_;
  std::int64_t passed_ = 0;                             // the last turn with a sentence that is done
  std::unordered_map<std::string, std::int64_t> last_;  // of each client, if not passed
  std::size_t tidied_ = 0;  // the number of clients that were left when passed ones were removed last
};

/// Adds up the work (estimated_work()) in progress for each client of a model. A client that asks for more
/// than about four usual sentences at a time is served in the background until all of its requests are done.
/// So it takes little time from other clients. Thread-safe.
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
