// Host memory for tensors and scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace nmt::cpu {

/// Allocates memory, at least 64-byte aligned; large blocks on huge pages if the system has them, so that
/// first use does not cause a series of page faults. Throws std::bad_alloc; for a large block, also if the
/// system would promise memory that it does not have.
void* allocate(std::size_t bytes);
void release(void* data);
/// Returns the bytes of a block from allocate(), at least those requested.
std::size_t size_of_block(void* data);

/// An array that grows and never shrinks; growing loses its contents.
template <class T>
class Buffer {
 public:
  /// Makes room for at least `count` elements.
  T* reserve(std::int64_t count) {
    if (count > capacity_) {
      data_.reset();
      capacity_ = 0;
      data_.reset(static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T))));
      capacity_ = count;
    }
    return data_.get();
  }
  const T* data() const { return data_.get(); }
  T* data() { return data_.get(); }

 private:
  struct Release {
    void operator()(T* data) const { release(data); }
  };
  std::unique_ptr<T, Release> data_;
  std::int64_t capacity_ = 0;
};

}  // namespace nmt::cpu
