// A compact set of hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt {

/// A set of 64-bit hashes in an open table with linear probing, which takes 11 to 22 bytes per hash.
class HashSet {
 public:
  /// Adds a hash, which must be well mixed; returns false if the set contains it already.
  bool insert(std::uint64_t hash);
  std::size_t size() const { return size_; }

 private:
  /// Returns the slot of `hash`, or the empty slot for it.
  std::uint64_t& slot(std::uint64_t hash);
  void grow();

  static constexpr std::uint64_t kFree = 0;
  std::vector<std::uint64_t> slots_ =
      std::vector<std::uint64_t>(1024, kFree);  // their number is a power of two
  std::size_t size_ = 0;
};

}  // namespace nmt
