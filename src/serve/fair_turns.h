// Whose sentences come next.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace nmt {

/// Numbers the turns in which requests of several clients have their sentences translated, lower ones first,
/// so that a client with many requests, or a long text, does not hold up the others (start-time fair
/// queueing, Goyal et al., 1996, with a turn for each request). For any thread.
class FairTurns {
 public:
  /// The first turn of a request of this client's that comes now: behind that of its last request, unless
  /// turns have got further meanwhile.
  std::int64_t next(const std::string& client);
  /// A sentence of this turn is done.
  void pass(std::int64_t turn);

 private:
  std::mutex mutex_;
  std::int64_t passed_ = 0;                             // the last turn of which a sentence is done
  std::unordered_map<std::string, std::int64_t> last_;  // of each client, unless it is passed
  std::size_t tidied_ = 0;  // how many clients were left when passed ones were dropped
};

}  // namespace nmt
