// A backend that soon runs out of memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "backend/reference/reference.h"

namespace nmt::testing {

/// A chunk of an arena and little more, which all later workers have to share.
constexpr std::size_t kForOneWorker = (std::size_t{32} << 20) + 10'000;

/// The reference backend with workers, which share as much memory as leave() sets.
class LittleMemory final : public ReferenceBackend {
 public:
  explicit LittleMemory(int workers) : LittleMemory(std::make_shared<Memory>()) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back(new LittleMemory(memory_));
  }

  /// Sets the bytes that are available in addition to those in use.
  void leave(std::size_t bytes) {
    const std::lock_guard lock(memory_->guard);
    memory_->left = bytes;
  }

  void* allocate(std::size_t bytes) override {
    const std::lock_guard lock(memory_->guard);
    if (bytes > memory_->left) throw std::bad_alloc();
    void* data = ReferenceBackend::allocate(bytes);
    memory_->left -= bytes;
    memory_->taken.emplace(data, bytes);
    return data;
  }
  void release(void* data) override {
    const std::lock_guard lock(memory_->guard);
    const auto block = memory_->taken.find(data);
    memory_->left += block->second;
    memory_->taken.erase(block);
    ReferenceBackend::release(data);
  }
  std::vector<Backend*> workers() override {
    std::vector<Backend*> workers;
    for (const auto& worker : workers_) workers.push_back(worker.get());
    return workers;
  }

 private:
  struct Memory {
    std::mutex guard;
    std::size_t left = SIZE_MAX;
    std::map<void*, std::size_t> taken;
  };
  explicit LittleMemory(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}

  std::shared_ptr<Memory> memory_;
  std::vector<std::unique_ptr<LittleMemory>> workers_;
};

}  // namespace nmt::testing
