// Decides whose sentences are translated next.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace nmt {

/// Assigns turn numbers to the requests of several clients. Sentences with lower turns are translated first,
/// so that a client with many requests, or with a long text, does not delay the others (start-time fair
/// queueing, Goyal et al., 1996, with a turn for each request). Thread-safe.
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

}  // namespace nmt
