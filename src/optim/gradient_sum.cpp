#include "optim/gradient_sum.h"

#include <algorithm>

namespace nmt {

void GradientSum::final_from(const void* first) {
  const auto bytes = static_cast<const char*>(first) - static_cast<const char*>(gradients_.raw());
  const std::int64_t final = bytes / static_cast<std::int64_t>(size_of(gradients_.dtype()));
  while (left_ > 0 && std::max<std::int64_t>(left_ - part_, 0) >= final) {
    const std::int64_t begin = std::max<std::int64_t>(left_ - part_, 0);
    communicator_.all_reduce(gradients_.slice_columns(begin, left_ - begin));
    left_ = begin;
  }
}

void GradientSum::finish() {
  final_from(gradients_.raw());
  communicator_.finish();
}

}  // namespace nmt
