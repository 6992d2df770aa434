// Shard: which elements of a model's flat buffers a rank keeps and updates.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/communicator.h"

namespace nmt {

/// How flat buffers of weights (see nn/weights/training_weights.h) are divided among the ranks of a run.
/// Vectors, which come first, are few, and every rank has all of them. The matrices after them are split into
/// buckets, from the tail of the buffer on, where gradients become final first; each rank has its part of
/// each bucket (part_of), or all of it if nothing is divided. A rank stores its elements without gaps in
/// buffers of size() elements.
class Shard {
 public:
  /// Consecutive elements of a rank.
  struct Piece {
    Part part;              // in the flat buffers
    std::int64_t place;     // index of the first element among the elements of the rank
    bool is_shared = true;  // whether all ranks have these elements
  };

  Shard() = default;
  /// `elements`: size of the buffers; `vectors`: how many of them belong to vectors; both are multiples of
  /// kPartAlignment. `bucket`: maximum elements of a bucket, unless there are so many ranks that parts would
  /// be too small.
  Shard(std::int64_t elements, std::int64_t vectors, int rank, int ranks, bool divided,
        std::int64_t bucket = kBucket);

  /// Whether there are elements that only one rank has.
  bool divided() const { return divided_; }
  /// Return the vectors, and the buckets of matrices from the tail of the buffers on. Either may be empty.
  const Part& vectors() const { return vectors_; }
  const std::vector<Part>& buckets() const { return buckets_; }
  /// Returns the elements of this rank, in order.
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::int64_t size() const { return size_; }
  /// Returns this rank's pieces of the given part.
  std::vector<Piece> pieces_in(const Part& part) const;
  /// Returns the shard of another rank in the same division.
  Shard of(int rank) const;

 private:
  static constexpr std::int64_t kBucket = std::int64_t{4} << 20;  // enough for the full bandwidth of a link

  void add(const Part& part, bool is_shared);

  Part vectors_;
  std::vector<Part> buckets_;
  int ranks_ = 1;
  bool divided_ = false;
  std::vector<Piece> pieces_;
  std::int64_t size_ = 0;
};

}  // namespace nmt
