#include "nn/weights/shard.h"

#include <algorithm>

namespace nmt {
namespace {

/// Returns the largest bucket size up to `size` that divides into equal aligned parts, but at least one step.
std::int64_t even_bucket(std::int64_t size, int ranks) {
  const std::int64_t step = ranks * kPartAlignment;
  return std::max(size / step, std::int64_t{1}) * step;
}

}  // namespace

Shard::Shard(std::int64_t elements, std::int64_t vectors, int rank, int ranks, bool divided,
             std::int64_t bucket)
    : vectors_{0, vectors}, ranks_(ranks), divided_(divided && ranks > 1) {
  const std::int64_t size = even_bucket(bucket, ranks);
  for (std::int64_t end = elements; end > vectors;) {
    const std::int64_t begin = std::max(end - size, vectors);
    buckets_.push_back({begin, end - begin});
    end = begin;
  }
  *this = of(rank);
}

Shard Shard::of(int rank) const {
  Shard shard = *this;
  shard.pieces_.clear();
  shard.size_ = 0;
  if (!divided_) {
    shard.add({0, buckets_.empty() ? vectors_.size : buckets_[0].begin + buckets_[0].size}, true);
    return shard;
  }
  shard.add(vectors_, true);
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
    const Part part = part_of(bucket->size, rank, ranks_);
    shard.add({bucket->begin + part.begin, part.size}, false);
  }
  return shard;
}

void Shard::add(const Part& part, bool is_shared) {
  if (part.size == 0) return;
  pieces_.push_back({part, size_, is_shared});
  size_ += part.size;
}

std::vector<Shard::Piece> Shard::pieces_in(const Part& part) const {
  std::vector<Piece> pieces;
  for (const Piece& piece : pieces_) {
    const std::int64_t begin = std::max(piece.part.begin, part.begin);
    const std::int64_t end = std::min(piece.part.begin + piece.part.size, part.begin + part.size);
    if (begin < end)
      pieces.push_back({{begin, end - begin}, piece.place + begin - piece.part.begin, piece.is_shared});
  }
  return pieces;
}

}  // namespace nmt
