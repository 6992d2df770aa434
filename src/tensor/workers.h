// Workers: backends and their memory, with which threads compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tensor/arena.h"
#include "tensor/backend.h"

namespace nmt {

/// A backend and the memory of its passes, for one thread at a time.
class Worker {
 public:
  /// `backend` must outlive this object.
  explicit Worker(Backend& backend) : Worker(backend, std::make_shared<Arena>(backend)) {}

  Backend& backend() const { return *backend_; }
  Arena& arena() const { return *arena_; }

 private:
  friend class Workers;
  Worker(Backend& backend, std::shared_ptr<Arena> arena) : backend_(&backend), arena_(std::move(arena)) {}

  Backend* backend_;
  std::shared_ptr<Arena> arena_;
};

/// The workers of a device: one for the whole device and, if threads can drive shares of it at the same time
/// (Backend::workers), one for each share. The first share uses the memory of the whole device, because the
/// shares never compute at the same time as the whole. If there are many pieces of work, each worker takes
/// one after another. This keeps threads busier than dividing each operation among them.
class Workers {
 public:
  /// `device` must outlive this object.
  explicit Workers(Backend& device);

  Backend& device() const { return whole_.backend(); }
  /// Returns the worker for the whole device, driven by one thread.
  Worker& whole() { return whole_; }
  /// Returns how many pieces can be worked on at the same time: at least 1.
  std::int64_t count() const;

  /// Calls work(worker, number) for at most `most` workers, on one thread each, or for the whole device if it
  /// has no shares. The workers see all work requested from the device before, and all their requests are
  /// done when this returns. Rethrows an exception of `work` after all have returned.
  void each(std::size_t most, const std::function<void(Worker& worker, std::size_t number)>& work);

  using Work = std::function<void(std::size_t piece, Worker& worker)>;
  /// Calls work(piece, worker) once for each piece, lower ones first: on one thread per worker, or, if there
  /// are fewer pieces than workers, on this thread with the whole device. Returns when all are done. Rethrows
  /// an exception of `work`, and then starts no further piece.
  void run(std::size_t pieces, const Work& work);

  /// Releases the memory that is kept between passes. No pass may be running.
  void give_back();

 private:
  Worker whole_;
  std::vector<Worker> shares_;
};

}  // namespace nmt
