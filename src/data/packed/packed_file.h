// The parts of a packed corpus file (doc/packed-corpus.md).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/error.h"
#include "common/io/memory_map.h"

namespace nmt {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

/// Versions of the format: the least is that of pairs of ids alone, and each part that pairs have besides
/// adds to it.
constexpr std::uint64_t kPackedVersion = 2, kLinksVersion = 1, kWeightsVersion = 2;

/// The beginning of the file.
struct PackedHead {
  /// What a copy in text mode would change is part of it.
  std::array<char, 8> magic = {'\x89', 'n', 'm', 't', 'c', '\r', '\n', '\x1A'};
  std::uint64_t version = kPackedVersion;
};

/// The end of the file.
struct PackedFoot {
  struct Side {
    std::uint64_t tokens, unknown, longest;  // EOS not counted
    std::uint64_t model_bytes;               // of the vocabulary; none for a target: that of the source
  };

  std::uint64_t pairs, id_bytes;
  Side source, target;
  std::uint64_t max_length;
  double max_ratio;
  std::uint64_t identical_sides;                                // 0 or 1
  std::uint64_t empty, too_long, uneven, identical, duplicate;  // pairs dropped
  std::uint64_t pairs_checksum;                                 // of the checksums of all pairs
  std::uint64_t models_checksum;
  std::uint64_t checksum;  // of the foot up to here

  /// The checksum that the foot should have.
  std::uint64_t expected_checksum() const;
};

static_assert(sizeof(PackedHead) == 16 && sizeof(PackedFoot) == 21 * 8);
static_assert(std::is_trivially_copyable_v<PackedHead> && std::is_trivially_copyable_v<PackedFoot>);

/// Bytes that fill up a section of so many so that the next one begins at a multiple of 8.
constexpr std::size_t packed_padding(std::uint64_t bytes) {
  return (8 - bytes % 8) % 8;
}

/// The checksum of a pair: of its entries of the index, that of the next pair included, and of its ids, both
/// as they are stored.
std::uint32_t packed_checksum(std::string_view boundaries, std::string_view ids);

/// The ids of a pair as they are stored, its links, in as many bytes each: target, source; and its weights,
/// f32.
struct PackedPair {
  std::string_view source, target, links, weights;
};

/// A mapped file whose foot and vocabularies agree with their checksums and whose sections fill it.
class PackedFile {
 public:
  /// Throws Error when the file is missing, foreign, truncated or damaged.
  explicit PackedFile(const std::string& path);

  /// Whether the file begins as packed corpora do.
  static bool is_one(const std::string& path);

  const std::string& path() const { return path_; }
  const PackedFoot& foot() const { return foot_; }
  /// Whether pairs have links, and weights.
  bool has_links() const { return ((version_ - kPackedVersion) & kLinksVersion) != 0; }
  bool has_weights() const { return ((version_ - kPackedVersion) & kWeightsVersion) != 0; }
  /// Pair i, below foot().pairs. Throws Error when its place or its checksum is wrong.
  PackedPair pair(std::uint64_t i) const;
  /// The vocabularies; the same when the sides share one.
  std::string_view source_model() const { return source_model_; }
  std::string_view target_model() const {
    return foot_.target.model_bytes == 0 ? source_model_ : target_model_;
  }

  /// Reads all pairs. Throws Error when anything differs from what was written.
  void verify() const;
  /// See MemoryMap.
  void forget_pages() const { map_.forget_pages(); }
  /// Throws Error where what was read is missing, as the file was truncated or its disk fails.
  void check_complete() const { map_.check_complete(); }

  /// The error of a file that contradicts itself. Throws it where the reason is that of check_complete().
  Error damaged(std::string_view what) const;

 private:
  void read_foot();
  void divide();
  /// Entries of the index that each pair has.
  std::uint64_t entries() const { return 2 + (has_links() ? 1 : 0) + (has_weights() ? 1 : 0); }
  std::uint64_t boundary(std::uint64_t i) const;

  std::string path_;
  MemoryMap map_;
  std::uint64_t version_ = kPackedVersion;
  PackedFoot foot_{};
  std::string_view ids_;    // pair after pair: source, target, links, weights
  std::string_view index_;  // where each part of each pair begins and the last one ends, in ids: 8 bytes each
  std::string_view checksums_;  // of each pair: 4 bytes
  std::string_view source_model_, target_model_;
};

}  // namespace nmt
