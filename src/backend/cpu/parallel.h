// Work shared among threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

#include "backend/cpu/kernels.h"
#include "backend/cpu/thread_pool.h"

namespace nmt::cpu {

/// Parts of work for each thread: enough that one which is late has little to hold up.
constexpr std::int64_t kPartsEach = 4;

/// Elements below which waking another thread costs more than it saves.
constexpr std::int64_t kThreadElements = 16384;

/// How many blocks of `size` items hold `count`.
constexpr std::int64_t blocks(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

/// Items, of so many elements each, that are worth a thread.
constexpr std::int64_t grain_of(std::int64_t elements) {
  return blocks(kThreadElements, std::max<std::int64_t>(elements, 1));
}

/// The items in a range of blocks, or in one block, of `size`, of `count` in all.
constexpr Range items_of(Range blocks, std::int64_t size, std::int64_t count) {
  return {blocks.begin * size, std::min(blocks.end * size, count)};
}
constexpr Range items_of(std::int64_t block, std::int64_t size, std::int64_t count) {
  return items_of(Range{block, block + 1}, size, count);
}

/// Splits 0..count into ranges of at least `grain` items (so tiny work stays on the calling thread), some for
/// each thread of the pool, and calls body(range, thread) on each, on whichever thread is free; `thread`
/// tells apart those that run at the same time. Neither the split nor the thread may show in the result. An
/// exception of a body is thrown again here.
template <class Body>
void parallel(ThreadPool& pool, std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t parts = std::min(pool.size() * kPartsEach, count / std::max<std::int64_t>(grain, 1));
  const auto workers = static_cast<int>(std::min<std::int64_t>(pool.size(), parts));
  if (workers <= 1) {
    if (count > 0) body(Range{0, count}, 0);
    return;
  }
  std::mutex guard;
  std::exception_ptr failure;
  pool.run(workers, static_cast<int>(parts), [&](int part, int thread) {
    try {
      body(Range{count * part / parts, count * (part + 1) / parts}, thread);
    } catch (...) {
      const std::lock_guard lock(guard);
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nmt::cpu
