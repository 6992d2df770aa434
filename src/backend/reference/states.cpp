#include <algorithm>

#include "backend/reference/reference.h"

namespace nmt {

void ReferenceBackend::run(const ReadStates& read) {
  for (std::int64_t s = 0; s < read.sentences.count; ++s) {
    const std::int64_t begin = read.sentences.begin.data<std::int32_t>()[s];
    const std::int64_t length = read.sentences.length.data<std::int32_t>()[s];
    for (std::int64_t r = begin; r < begin + length; ++r) {
      const std::int32_t position = read.position.data<std::int32_t>()[r];
      const char* from = position == 0 ? read.start.raw_row(read.begin.data<std::int32_t>()[s])
                                       : read.cache.raw_row(read.index.row<std::int32_t>(r)[position - 1]);
      std::copy_n(from, read.states.row_bytes(), read.states.raw_row(r));
    }
  }
}

void ReferenceBackend::run(const WriteStates& write) {
  for (std::int64_t r = 0; r < write.states.rows(); ++r) {
    const std::int32_t position = write.position.data<std::int32_t>()[r];
    char* to = write.cache.raw_row(write.index.row<std::int32_t>(r)[position]);
    std::copy_n(write.states.raw_row(r), write.states.row_bytes(), to);
  }
}

}  // namespace nmt
