#include "serve/clients/scheduling.h"

#include <algorithm>

namespace nmt {
namespace {

// The maximum number of hypothesis tokens of the interactive requests of a client: four sentences of 25
// tokens with a beam of 4, and some more.
constexpr std::int64_t kInteractiveWork = 500;

}  // namespace

std::int64_t FairTurns::next(const std::string& client) {
  constexpr std::size_t kUntidied = 64;
  const std::lock_guard lock(mutex_);
  if (last_.size() > 2 * tidied_ + kUntidied) {
    std::erase_if(last_, [this](const auto& entry) { return entry.second < passed_; });
    tidied_ = last_.size();
  }
  const auto [place, is_new] = last_.try_emplace(client, passed_);
  if (!is_new) place->second = std::max(passed_, place->second + 1);
  return place->second;
}

void FairTurns::pass(std::int64_t turn) {
  const std::lock_guard lock(mutex_);
  passed_ = std::max(passed_, turn);
}

Priority ClientLoads::add(const std::string& client, std::int64_t work) {
  const std::lock_guard lock(mutex_);
  Load& load = loads_[client];
  ++load.requests;
  load.work += work;
  // A client that has begun to ask for much stays in the background, so that its requests share steps.
  if (load.work > kInteractiveWork) load.priority = Priority::background;
  return load.priority;
}

void ClientLoads::remove(const std::string& client, std::int64_t work) {
  const std::lock_guard lock(mutex_);
  const auto found = loads_.find(client);
  if (found == loads_.end()) return;
  found->second.work -= work;
  if (--found->second.requests == 0) loads_.erase(found);
}

}  // namespace nmt
