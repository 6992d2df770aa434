// What threads compute with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tensor/arena.h"
#include "tensor/backend.h"

namespace nmt {

/// What a thread computes with: a backend, and the memory of its passes. One thread at a time.
class Worker {
 public:
  /// `backend` must outlive this.
  explicit Worker(Backend& backend) : Worker(backend, std::make_shared<Arena>(backend)) {}

  Backend& backend() const { return *backend_; }
  Arena& arena() const { return *arena_; }

 private:
  friend class Workers;
  Worker(Backend& backend, std::shared_ptr<Arena> arena) : backend_(&backend), arena_(std::move(arena)) {}

  Backend* backend_;
  std::shared_ptr<Arena> arena_;
};

/// The workers of a device: one for the whole of it, and where threads can drive shares of it at the same
/// time (Backend::workers), one for each of these. The first of them has the memory of the whole, since
/// either those or the whole are at work. Where pieces of work are many, a worker takes one after another by
/// itself, which keeps threads busier than sharing each operation among them does.
class Workers {
 public:
  /// `device` must outlive this.
  explicit Workers(Backend& device);

  Backend& device() const { return whole_.backend(); }
  /// All of the device, driven by one thread.
  Worker& whole() { return whole_; }
  /// How many pieces can be worked on at the same time: at least 1.
  std::int64_t count() const;

  /// Calls work(worker, its number) for the first workers, at most `most`, on a thread for each, or for the
  /// whole device where it has no others. They find all done that the device was asked for before, and when
  /// this ends, so is what they were asked for. An exception of `work` is thrown again when all have
  /// returned.
  void each(std::size_t most, const std::function<void(Worker& worker, std::size_t number)>& work);

  using Work = std::function<void(std::size_t piece, Worker& worker)>;
  /// Calls work(piece, worker) once for each piece, lower ones first: on a thread for each worker, or, with
  /// fewer pieces than workers, on this thread with the whole device. Returns when all are done. An exception
  /// of `work` is thrown again here, and no further piece begins.
  void run(std::size_t pieces, const Work& work);

  /// Gives back the memory that is kept from one pass to the next. None may be under way.
  void give_back();

 private:
  Worker whole_;
  std::vector<Worker> shares_;
};

}  // namespace nmt
