// Which of a machine's cards each of its processes takes.
#pragma once

#include <string>
#include <vector>

#include "tensor/communicator.h"

namespace nmt {

/// What a process of a run may take.
struct CardClaim {
  std::vector<std::string> cards;  // each by a name that no other card has; none: it computes on the CPU
  bool one_alone = false;          // of them
};

/// For each process, the part of its claim that it takes. Those that name the same cards share them out, in
/// their order: a card each, or all of them, as evenly as may be. `names`: of the processes, for messages.
/// Throws UsageError where they are more than their cards, or where two name some of the same cards, but not
/// all.
std::vector<Part> partition_cards(const std::vector<CardClaim>& claims,
                                  const std::vector<std::string>& names);

}  // namespace nmt
