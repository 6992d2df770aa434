#include "translate/workers.h"

#include <atomic>

#include "common/side_by_side.h"

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
  side_by_side(workers_.size(), [&](std::size_t i) {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) {
        work(piece, workers_[i].backend, *workers_[i].arena);
      }
    } catch (...) {
      next = pieces;
      throw;
    }
  });
}

}  // namespace nmt
