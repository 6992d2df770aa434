// A block of threads that switch at barriers and in warp functions.
#pragma once

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda_emulator/fiber.h"
#include "cuda_emulator/simt.h"

namespace simt {

/// Ends a kernel.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A copy of 16 bytes to shared memory; null means zeros.
struct AsyncCopy {
  void* to;
  const void* from;
};

struct Fiber {
  Context context{};
  Span stack;
  uint3 index{};
  unsigned warp_epoch = 0;
  bool done = false;
  const char* waits_in = nullptr;  // for reports of hangs
  Where where{};
  std::vector<AsyncCopy> copies;  // that the thread has not waited for
};

class Block {
 public:
  /// Returns the running block; blocks run one after another in it, so that stacks are made once.
  static Block& running();

  /// Runs the threads of a block. Throws Failure.
  void run(const Shape& shape, const std::function<void()>& kernel);

  void meet(Where where);

  // The following functions are for warp functions.
  int now() const { return now_; }  // the running thread
  int threads() const { return threads_; }
  bool some_returned() const { return returned_ > 0; }
  Fiber& fiber(int thread) { return fibers_[static_cast<std::size_t>(thread)]; }
  /// Waits until another thread wakes this one.
  void wait(const char* in, Where where);
  /// Wakes the threads from begin to end whose lane is in the mask.
  void wake(int begin, int end, unsigned mask);
  [[noreturn]] static void fail(const std::string& text) { throw Failure(text); }

 private:
  Block();
  static void entry();
  void prepare_threads(const Shape& shape);
  void run_thread();
  void enter(int thread);
  int choose();
  void leave(bool dies);
  void hang();
  std::uint32_t draw();

  std::array<Fiber, 1024> fibers_;
  std::vector<int> ready_;  // threads from head_ on can run
  std::size_t head_ = 0;
  Context scheduler_{};
  Span host_stack_;
  int threads_ = 0, returned_ = 0, now_ = -1;
  int at_barrier_ = 0;
  Where barrier_where_{};
  const std::function<void()>* kernel_ = nullptr;
  std::string failure_;
  std::uint64_t random_ = 1;
};

/// Returns "softmax.cu:31".
std::string name_of(Where where);

/// Resets all warps, so that no lane waits for others (warp.cpp).
void reset_warps();

/// Runs all blocks in the configured order. Throws Failure.
void run_grid(const Shape& shape, const std::function<void()>& kernel, const void* function);

}  // namespace simt
