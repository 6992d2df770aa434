#include "data/batches/pools.h"

namespace nmt {

Pools::Pools(std::int64_t pairs, std::int64_t first, std::int64_t largest) {
  std::int64_t begin = 0;
  begins_.push_back(begin);
  for (std::int64_t size = first; size < largest && pairs - begin > 2 * size; size *= 2) {
    begins_.push_back(begin += size);
  }
  const std::int64_t rest = pairs - begin, count = (rest + largest - 1) / largest;
  for (std::int64_t i = 1; i <= count; ++i) {
    begins_.push_back(begin + rest / count * i + rest % count * i / count);
  }
}

}  // namespace nmt
