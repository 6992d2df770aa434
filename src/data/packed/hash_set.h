// A set of hashes in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt {

/// Hashes of 64 bits, kept in an open table with linear probing: 11 to 22 bytes each.
class HashSet {
 public:
  /// Adds a hash that must be well mixed; false when it was there.
  bool insert(std::uint64_t hash);
  std::size_t size() const { return size_; }

 private:
  /// The slot that holds `hash` or is to hold it.
  std::uint64_t& slot(std::uint64_t hash);
  void grow();

  static constexpr std::uint64_t kFree = 0;
  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024, kFree);  // a power of two of them
  std::size_t size_ = 0;
};

}  // namespace nmt
