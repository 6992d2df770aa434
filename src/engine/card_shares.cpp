#include "engine/card_shares.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/plural.h"

namespace nmt {
namespace {

/// Throws UsageError if two claims overlap.
void check_apart(const std::vector<CardClaim>& claims, std::size_t a, std::size_t b,
                 const std::vector<std::string>& names) {
  for (const std::string& card : claims[a].cards) {
    if (std::ranges::find(claims[b].cards, card) == claims[b].cards.end()) continue;
    throw UsageError("{} has a card of {}, but not the same ones: let them have all of them, or none",
                     names[b], names[a]);
  }
}

}  // namespace

std::vector<Part> partition_cards(const std::vector<CardClaim>& claims,
                                  const std::vector<std::string>& names) {
  std::vector<Part> parts;
  for (std::size_t process = 0; process < claims.size(); ++process) {
    const CardClaim& claim = claims[process];
    const std::int64_t cards = std::ssize(claim.cards);
    std::int64_t before = 0, sharers = 1;  // that claim the same GPUs
    for (std::size_t other = 0; other < claims.size(); ++other) {
      if (other == process) continue;
      if (claims[other].cards != claim.cards) {
        check_apart(claims, process, other, names);
        continue;
      }
      if (other < process) ++before;
      ++sharers;
    }
    if (sharers > cards && cards > 0) {
      throw UsageError("{} processes are to share {}: start no more of them on a machine than it has cards",
                       sharers, count_of(static_cast<std::size_t>(cards), "card"));
    }
    const std::int64_t begin = claim.one_alone ? before : cards * before / sharers;
    const std::int64_t end = claim.one_alone ? begin + 1 : cards * (before + 1) / sharers;
    parts.push_back({begin, std::min(end, cards) - std::min(begin, cards)});
  }
  return parts;
}

}  // namespace nmt
