// Pieces of work shared among the workers of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tensor/arena.h"
#include "tensor/backend.h"

namespace nmt {

/// The workers of a device, each with memory of its own. Where pieces are many, a worker takes one after
/// another by itself, which keeps threads busier than sharing each operation among them does.
class Workers {
 public:
  using Work = std::function<void(std::size_t piece, Backend& backend, Arena& arena)>;

  /// `arena` is on `backend`; both must outlive this.
  Workers(Backend& backend, Arena& arena);

  /// How many pieces can be worked on at the same time: at least 1.
  std::int64_t count() const { return worker_count(backend_); }

  /// Calls work(piece, ...) once for each piece, lower ones first: on a thread for each worker, or, with
  /// fewer pieces than workers, on this thread with the whole device. Returns when all are done. An exception
  /// of `work` is thrown again here, and no further piece begins.
  void run(std::size_t pieces, const Work& work);
  /// Gives back the memory that workers keep from one piece to the next.
  void give_back();

 private:
  Backend& backend_;
  Arena& arena_;
  std::vector<std::unique_ptr<Arena>> arenas_;  // of the workers
};

}  // namespace nmt
