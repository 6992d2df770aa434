#include "translate/scoring/shortlist_counts.h"

#include <utility>

namespace nmt {
namespace {

// A source piece that gets less attention from a target piece does not count as aligned to it.
constexpr double kLeastWeight = 0.1;

}  // namespace

ShortlistCounts::ShortlistCounts(const Vocabularies& vocabularies)
    : vocabularies_(vocabularies), of_source_(static_cast<std::size_t>(vocabularies.source.size())) {}

void ShortlistCounts::add(const std::vector<int>& source, const std::vector<int>& target,
                          const Alignment& alignment) {
  for (std::size_t t = 0; t < target.size(); ++t) {
    of_target_[target[t]] += 1;
    for (std::size_t s = 0; s < source.size(); ++s) {
      const double weight = alignment.weight(static_cast<std::int64_t>(t), static_cast<std::int64_t>(s));
      if (weight >= kLeastWeight) of_source_[static_cast<std::size_t>(source[s])][target[t]] += weight;
    }
  }
}

Shortlist ShortlistCounts::shortlist(std::size_t best, std::size_t frequent) const {
  std::vector<Shortlist::Ids> of_source;
  of_source.reserve(of_source_.size());
  const bool is_shared = vocabularies_.shared();  // compares all pieces
  for (const Counts& counts : of_source_) {
    of_source.push_back(best_of(counts, best));
    if (is_shared) insert(of_source.back(), static_cast<std::int32_t>(of_source.size()) - 1);
  }
  Shortlist::Ids always = best_of(of_target_, frequent);
  insert(always, vocabularies_.target.end());
  return {std::move(always), std::move(of_source), vocabularies_.target.size()};
}

}  // namespace nmt
