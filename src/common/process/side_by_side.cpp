#include "common/process/side_by_side.h"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace nmt {

void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::mutex guard;
  std::exception_ptr failure;
  const auto run = [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(run, i);
    if (count > 0) run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nmt
