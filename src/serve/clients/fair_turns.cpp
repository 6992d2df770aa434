#include "serve/clients/fair_turns.h"

#include <algorithm>

namespace nmt {

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

}  // namespace nmt
