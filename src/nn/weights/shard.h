// Shard: which elements of the flat buffers of a model a rank keeps and updates.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/communicator.h"

namespace nmt {

/// How flat buffers of weights (see nn/weights/training_weights.h) belong to the ranks of a run. Vectors,
/// which stand first, are few, and every rank has them all. The matrices behind them are split into buckets,
/// from the tail of the buffer on, where gradients become final first; each rank has its part of each bucket
/// (part_of), or, where nothing is divided, all of it. What a rank has stands without gaps in buffers of
/// size() elements.
class Shard {
 public:
  /// Consecutive elements that a rank has.
  struct Piece {
    Part part;              // in the flat buffers
    std::int64_t place;     // of the first one among those that the rank has
    bool is_shared = true;  // whether all ranks have them
  };

  Shard() = default;
  /// For buffers of so many elements, a multiple of kPartAlignment, as are the `vectors` among them.
  /// `bucket`: elements of one, at most, unless ranks are so many that parts would be too small.
  Shard(std::int64_t elements, std::int64_t vectors, int rank, int ranks, bool divided,
        std::int64_t bucket = kBucket);

  /// Whether there are elements that only one rank has.
  bool divided() const { return divided_; }
  /// The vectors, and the buckets of matrices, from the tail of the buffers on. Either may be nothing.
  const Part& vectors() const { return vectors_; }
  const std::vector<Part>& buckets() const { return buckets_; }
  /// What the rank has, in the order of the elements.
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::int64_t size() const { return size_; }
  /// The pieces of what it has among these elements.
  std::vector<Piece> pieces_in(const Part& part) const;
  /// The same division for another rank.
  Shard of(int rank) const;

 private:
  static constexpr std::int64_t kBucket = std::int64_t{4} << 20;  // large enough for the full rate of a link

  void add(const Part& part, bool is_shared);

  Part vectors_;
  std::vector<Part> buckets_;
  int ranks_ = 1;
  bool divided_ = false;
  std::vector<Piece> pieces_;
  std::int64_t size_ = 0;
};

}  // namespace nmt
