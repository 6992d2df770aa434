#include "translate/workers.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace nmt {

Workers::Workers(Backend& backend, Arena& arena) : backend_(backend), arena_(arena) {
  for (Backend* worker : backend.workers()) workers_.push_back({*worker, std::make_unique<Arena>(*worker)});
}

void Workers::run(std::size_t pieces, const Work& work) {
  if (workers_.empty() || pieces < workers_.size()) {
    for (std::size_t piece = 0; piece < pieces; ++piece) work(piece, backend_, arena_);
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::exception_ptr failure;
  const auto serve = [&](const Worker& worker) {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) {
        work(piece, worker.backend, *worker.arena);
      }
    } catch (...) {
      next = pieces;
      const std::lock_guard lock(guard);
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads.emplace_back([&serve, &worker = workers_[i]] { serve(worker); });
    }
    serve(workers_[0]);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nmt
