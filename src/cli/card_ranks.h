// A run on several cards of this machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "train/replica.h"

namespace nmt {

/// Calls work(parts) for each of several cards at the same time, on a thread each: a rank with a copy of the
/// model. The first rank has the backend and the model of `first`, whose communicator is not looked at, and
/// runs on this thread. Throws what any of them throws, and UsageError where a card cannot be used.
void run_on_cards(const DeviceSettings& device, const std::vector<std::string>& cards, const RankParts& first,
                  const std::function<void(const RankParts&)>& work);

}  // namespace nmt
