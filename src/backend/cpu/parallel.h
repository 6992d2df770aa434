// Division of work among threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

#include "backend/cpu/kernels.h"
#include "backend/cpu/thread_pool.h"

namespace nmt::cpu {

/// Parts of work per thread: enough that a late thread delays little.
constexpr std::int64_t kPartsEach = 4;

/// Elements below which waking another thread costs more than it saves.
constexpr std::int64_t kThreadElements = 16384;

/// Returns the number of blocks of `size` items that contain `count` items.
constexpr std::int64_t blocks(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

/// Returns the number of items, with `elements` elements each, that are worth a thread.
constexpr std::int64_t grain_of(std::int64_t elements) {
  return blocks(kThreadElements, std::max<std::int64_t>(elements, 1));
}

/// Returns the items in a range of blocks, or in one block, of `size` items each, out of `count`.
constexpr Range items_of(Range blocks, std::int64_t size, std::int64_t count) {
  return {blocks.begin * size, std::min(blocks.end * size, count)};
}
constexpr Range items_of(std::int64_t block, std::int64_t size, std::int64_t count) {
  return items_of(Range{block, block + 1}, size, count);
}

/// Splits 0..count into ranges of at least `grain` items (so tiny work stays on the calling thread), several
/// for each thread of the pool, and calls body(range, thread) on each, on whichever thread is free; `thread`
/// differs for calls that run at the same time. Results must not depend on the split or on the thread.
/// Rethrows an exception of a body.
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
