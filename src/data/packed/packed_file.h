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

/// Versions of the format: the base version is for pairs of ids only; links, weights, the number of pairs
/// that were dropped for their quality, and the list of filters each add their number to it.
constexpr std::uint64_t kPackedVersion = 2, kLinksVersion = 1, kWeightsVersion = 2, kPoorVersion = 4,
                        kFiltersVersion = 8;

/// The beginning of the file.
struct PackedHead {
  /// Includes bytes that a copy in text mode would change.
  std::array<char, 8> magic = {'\x89', 'n', 'm', 't', 'c', '\r', '\n', '\x1A'};
  std::uint64_t version = kPackedVersion;
};

/// The end of the file.
struct PackedFoot {
  struct Side {
    std::uint64_t tokens, unknown, longest;  // EOS not counted
    std::uint64_t model_bytes;               // of the vocabulary; 0 for a target that shares the source's
  };

  std::uint64_t pairs, id_bytes;
  Side source, target;
  std::uint64_t max_length;
  double max_ratio;
  std::uint64_t identical_sides;                                // 0 or 1
  std::uint64_t empty, too_long, uneven, identical, duplicate;  // pairs dropped
  std::uint64_t pairs_checksum;                                 // checksum of the checksums of all pairs
  std::uint64_t models_checksum;
  std::uint64_t checksum;  // checksum of the foot up to here

  /// Computes the checksum that the foot should have.
  std::uint64_t expected_checksum() const;
};

static_assert(sizeof(PackedHead) == 16 && sizeof(PackedFoot) == 21 * 8);
static_assert(std::is_trivially_copyable_v<PackedHead> && std::is_trivially_copyable_v<PackedFoot>);

/// Returns the padding of a section of `bytes` bytes, after which the next one begins at a multiple of 8.
constexpr std::size_t packed_padding(std::uint64_t bytes) {
  return (8 - bytes % 8) % 8;
}

/// Returns the checksum of a pair: of its index entries, including the start of the next pair, and of its
/// ids, as stored.
std::uint32_t packed_checksum(std::string_view boundaries, std::string_view ids);

/// The stored bytes of a pair: its ids; its links as target and source position, each as wide as an id; and
/// its weights (f32).
struct PackedPair {
  std::string_view source, target, links, weights;
};

/// A mapped file whose foot and vocabularies match their checksums and whose sections fill it exactly.
class PackedFile {
 public:
  /// Throws Error if the file is missing, not a packed corpus, truncated or damaged.
  explicit PackedFile(const std::string& path);

  /// Whether a file begins like a packed corpus.
  static bool is_one(const std::string& path);

  const std::string& path() const { return path_; }
  const PackedFoot& foot() const { return foot_; }
  /// Whether pairs have links, or weights.
  bool has_links() const { return ((version_ - kPackedVersion) & kLinksVersion) != 0; }
  bool has_weights() const { return ((version_ - kPackedVersion) & kWeightsVersion) != 0; }
  /// Returns the number of pairs that were dropped for their quality; 0 if the file does not say.
  std::uint64_t poor() const;
  /// Returns the list of filters, one line each: option, setting, number of dropped pairs, separated by tabs;
  /// empty if the file has none.
  std::string_view filters() const;
  /// Returns pair i, below foot().pairs. Throws Error if its place or its checksum is wrong.
  PackedPair pair(std::uint64_t i) const;
  /// The serialized vocabularies; the same one if the sides share it.
  std::string_view source_model() const { return source_model_; }
  std::string_view target_model() const {
    return foot_.target.model_bytes == 0 ? source_model_ : target_model_;
  }

  /// Reads all pairs. Throws Error if anything differs from what was written.
  void verify() const;
  /// Releases memory; see MemoryMap.
  void forget_pages() const { map_.forget_pages(); }
  /// Throws Error if data that was read is missing, because the file was truncated or its disk fails.
  void check_complete() const { map_.check_complete(); }

  /// Returns the error for a file that contradicts itself. Throws the error of check_complete() instead if
  /// that is the reason.
  Error damaged(std::string_view what) const;

 private:
  void read_foot();
  void divide();
  bool has_poor() const { return ((version_ - kPackedVersion) & kPoorVersion) != 0; }
  bool has_filters() const { return ((version_ - kPackedVersion) & kFiltersVersion) != 0; }
  /// Returns the number of index entries per pair.
  std::uint64_t entries() const { return 2 + (has_links() ? 1 : 0) + (has_weights() ? 1 : 0); }
  std::uint64_t boundary(std::uint64_t i) const;

  std::string path_;
  MemoryMap map_;
  std::uint64_t version_ = kPackedVersion;
  PackedFoot foot_{};
  std::string_view ids_;  // for each pair: source, target, links, weights
  std::string_view
      index_;  // start of each part of each pair, and end of the last one, counted in ids: 8 bytes each
  std::string_view checksums_;  // 4 bytes per pair
  std::string_view source_model_, target_model_;
  std::string_view filters_;  // the list and its size (8 bytes), or empty
  std::string_view poor_;     // 8 bytes, or empty
};

}  // namespace nmt
