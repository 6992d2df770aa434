// States of hypotheses: copies of rows.
#include <cstring>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/parallel.h"

namespace nmt {
namespace {

using cpu::grain_of;
using cpu::parallel;
using cpu::Range;

void read_sentence(const ReadStates& read, std::int64_t sentence) {
  const std::int64_t begin = read.sentences.begin.data<std::int32_t>()[sentence];
  const std::int64_t end = begin + read.sentences.length.data<std::int32_t>()[sentence];
  for (std::int64_t r = begin; r < end; ++r) {
    const std::int32_t position = read.position.data<std::int32_t>()[r];
    const char* from = position == 0 ? read.start.raw_row(read.begin.data<std::int32_t>()[sentence])
                                     : read.cache.raw_row(read.index.row<std::int32_t>(r)[position - 1]);
    std::memcpy(read.states.raw_row(r), from, read.states.row_bytes());
  }
}

}  // namespace

void CpuBackend::run(const ReadStates& read) {
  parallel(pool_, read.sentences.count, grain_of(read.states.columns()), [&](Range sentences, int) {
    for (std::int64_t s = sentences.begin; s < sentences.end; ++s) read_sentence(read, s);
  });
}

void CpuBackend::run(const WriteStates& write) {
  parallel(pool_, write.states.rows(), grain_of(write.states.columns()), [&](Range rows, int) {
    for (std::int64_t r = rows.begin; r < rows.end; ++r) {
      const std::int32_t position = write.position.data<std::int32_t>()[r];
      char* to = write.cache.raw_row(write.index.row<std::int32_t>(r)[position]);
      std::memcpy(to, write.states.raw_row(r), write.states.row_bytes());
    }
  });
}

}  // namespace nmt
