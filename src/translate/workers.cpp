#include "translate/workers.h"

#include <atomic>

#include "tensor/on_workers.h"

namespace nmt {

Workers::Workers(Backend& backend, Arena& arena) : backend_(backend), arena_(arena) {
  give_back();
}

void Workers::run(std::size_t pieces, const Work& work) {
  if (arenas_.empty() || pieces < arenas_.size()) {
    for (std::size_t piece = 0; piece < pieces; ++piece) work(piece, backend_, arena_);
    return;
  }
  std::atomic<std::size_t> next = 0;
  on_workers(backend_, arenas_.size(), [&](Backend& worker, std::size_t number) {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) work(piece, worker, *arenas_[number]);
    } catch (...) {
      next = pieces;
      throw;
    }
  });
}

void Workers::give_back() {
  arenas_.clear();
  for (Backend* worker : backend_.workers()) arenas_.push_back(std::make_unique<Arena>(*worker));
}

}  // namespace nmt
