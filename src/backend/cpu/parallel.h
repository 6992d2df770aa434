// Work shared among threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

#include "backend/cpu/kernels.h"
#include "backend/cpu/thread_pool.h"

namespace nmt::cpu {

/// Cuts 0..count into one range a thread, each of at least `grain` items (so tiny work stays on the calling
/// thread), and calls body(range, thread) on each. Which thread computes an item must not show in the result.
/// An exception of a body is thrown again here.
template <class Body>
void parallel(int threads, std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t workers = std::min<std::int64_t>(threads, count / std::max<std::int64_t>(grain, 1));
  if (workers <= 1) {
    if (count > 0) body(Range{0, count}, 0);
    return;
  }
  std::mutex guard;
  std::exception_ptr failure;
  ThreadPool::instance().run(static_cast<int>(workers), [&](int thread) {
    try {
      body(Range{count * thread / workers, count * (thread + 1) / workers}, thread);
    } catch (...) {
      const std::lock_guard lock(guard);
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nmt::cpu
