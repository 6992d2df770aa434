#include "data/packed/hash_set.h"

#include <utility>

namespace nmt {

bool HashSet::insert(std::uint64_t hash) {
  if (hash == kFree) hash = 1;
  std::uint64_t& place = slot(hash);
  if (place == hash) return false;
  place = hash;
  if (++size_ * 4 > slots_.size() * 3) grow();
  return true;
}

std::uint64_t& HashSet::slot(std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i] != kFree && slots_[i] != hash) i = (i + 1) & mask;
  return slots_[i];
}

void HashSet::grow() {
  const std::vector<std::uint64_t> old =
      std::exchange(slots_, std::vector<std::uint64_t>(slots_.size() * 2, kFree));
  for (const std::uint64_t hash : old) {
    if (hash != kFree) slot(hash) = hash;
  }
}

}  // namespace nmt
