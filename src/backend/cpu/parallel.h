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

/// Cuts 0..count into ranges of at least `grain` items (so tiny work stays on the calling thread), some for
/// each thread, and calls body(range, thread) on each, on whichever thread is free; `thread` tells apart
/// those that run at the same time. Neither the cuts nor the thread may show in the result. An exception of a
/// body is thrown again here.
template <class Body>
void parallel(int threads, std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t parts = std::min(threads * kPartsEach, count / std::max<std::int64_t>(grain, 1));
  const auto workers = static_cast<int>(std::min<std::int64_t>(threads, parts));
  if (workers <= 1) {
    if (count > 0) body(Range{0, count}, 0);
    return;
  }
  std::mutex guard;
  std::exception_ptr failure;
  ThreadPool::instance().run(workers, static_cast<int>(parts), [&](int part, int thread) {
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
