#include "optim/gradient_sum.h"

namespace nmt {

void GradientSum::final_from(const void* first) {
  const auto bytes = static_cast<const char*>(first) - static_cast<const char*>(gradients_.raw());
  const std::int64_t final = bytes / static_cast<std::int64_t>(size_of(gradients_.dtype()));
  for (; asked_ < shard_.buckets().size() && shard_.buckets()[asked_].begin >= final; ++asked_) {
    if (asked_ == 0) before_first_();
    const auto [begin, size] = shard_.buckets()[asked_];
    const Tensor bucket = gradients_.slice_columns(begin, size);
    communicator_.reduce_scatter(bucket, travel_);
    if (!shard_.divided()) communicator_.all_gather(bucket);
  }
}

void GradientSum::finish() {
  final_from(gradients_.raw());
  if (asked_ == 0) before_first_();
  const auto [begin, size] = shard_.vectors();
  if (size > 0) communicator_.all_reduce(gradients_.slice_columns(begin, size));
  communicator_.finish();
}

}  // namespace nmt
