#include "cuda_emulator/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/shadow.h"

// Saves the registers that a function must preserve, switches stacks, and restores those of the other stack.
asm(R"(
.text
.type simt_switch, @function
simt_switch:
  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
  ret
.size simt_switch, .-simt_switch
)");

namespace simt {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024, kGuardBytes = 4096;

}  // namespace

std::string name_of(Where where) {
  const char* slash = std::strrchr(where.file, '/');
  return (slash == nullptr ? where.file : slash + 1) + (":" + std::to_string(where.line));
}

Block& Block::running() {
  static Block& it = *new Block;
  return it;
}

Block::Block() {
  const std::size_t bytes = fibers_.size() * kStackBytes;
  void* stacks =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(stacks);
  for (Fiber& fiber : fibers_) {
    mprotect(begin, kGuardBytes, PROT_NONE);
    fiber.stack = {begin + kGuardBytes, begin + kStackBytes};
    begin += kStackBytes;
  }
}

std::uint32_t Block::draw() {
  random_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = random_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>(z >> 32);
}

void Block::prepare_threads(const Shape& shape) {
  threads_ = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  for (int i = 0; i < threads_; ++i) {
    Fiber& f = fiber(i);
    const auto n = static_cast<unsigned>(i);
    f.index = {n % shape.block.x, n / shape.block.x % shape.block.y, n / shape.block.x / shape.block.y};
    f.warp_epoch = 0;
    f.done = false;
    f.waits_in = nullptr;
    f.copies.clear();
    clean_stack(f.stack);
    // If the tops of stacks were a multiple of 4096 bytes apart, they would share a few cache lines.
    f.context = prepare(const_cast<std::byte*>(f.stack.end) - i % 64 * 320, entry);
  }
}

void Block::run(const Shape& shape, const std::function<void()>& kernel) {
  kernel_ = &kernel;
  returned_ = at_barrier_ = 0;
  failure_.clear();
  ready_.clear();
  head_ = 0;
  random_ = settings().seed * 0x2545f4914f6cdd1du + stand.run;
  reset_warps();
  prepare_threads(shape);
  stand.block_epoch = 0;
  wake(0, threads_, ~0u);
  enter(choose());
  host_stack_ = {};
  switch_fiber(&scheduler_, fiber(now_).context, fiber(now_).stack, false);
  now_ = -1;
  if (!failure_.empty()) throw Failure(failure_);
}

void Block::entry() {
  Block& block = running();
  arrive(&block.host_stack_);
  block.run_thread();
  std::terminate();  // nobody comes back to a thread that has returned
}

void Block::run_thread() {
  stand.inside = false;
  try {
    (*kernel_)();  // calls begin_kernel()
    if (!fiber(now_).copies.empty())
      fail("a thread returns before copies to shared memory that it has begun");
  } catch (const std::exception& e) {
    failure_ = e.what();
  }
  stand.inside = false;
  fiber(now_).done = true;
  ++returned_;
  leave(true);
}

void Block::enter(int thread) {
  now_ = thread;
  const Fiber& f = fiber(thread);
  set_thread_index(f.index);
  stand.thread = static_cast<unsigned>(thread);
  stand.warp_epoch = f.warp_epoch;
  stand.stack = f.stack;
}

int Block::choose() {
  if (settings().order == Order::random)
    std::swap(ready_[head_ + draw() % (ready_.size() - head_)], ready_[head_]);
  return ready_[head_++];
}

void Block::wake(int begin, int end, unsigned mask) {
  constexpr std::size_t kMostPast = 4096;
  if (head_ > kMostPast || head_ == ready_.size()) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<long>(head_));
    head_ = 0;
  }
  const bool backwards = settings().order == Order::reverse;
  for (int i = 0; i < end - begin; ++i) {
    const int thread = backwards ? end - 1 - i : begin + i;
    if (fiber(thread).done || (mask >> (thread & 31) & 1) == 0) continue;
    fiber(thread).waits_in = nullptr;
    ready_.push_back(thread);
  }
}

/// The running thread switches to the next one that can run; the last one returns to the caller of run().
void Block::leave(bool dies) {
  Context* const mine = &fiber(now_).context;
  const bool failed = !failure_.empty();
  if (failed || head_ == ready_.size()) {
    if (!failed && returned_ < threads_) hang();
    return switch_fiber(mine, scheduler_, host_stack_, true);
  }
  const int me = now_, next = choose();
  enter(next);
  if (next != me) switch_fiber(mine, fiber(next).context, fiber(next).stack, dies);
}

void Block::wait(const char* in, Where where) {
  stand.inside = false;
  fiber(now_).waits_in = in;
  fiber(now_).where = where;
  leave(false);
}

void Block::hang() {
  failure_ = "the threads of a block wait for each other:";
  constexpr int kMostTold = 4;
  int told = 0;
  for (int i = 0; i < threads_ && told < kMostTold; ++i) {
    const Fiber& f = fiber(i);
    if (f.done || f.waits_in == nullptr) continue;
    failure_ += "\n    thread " + std::to_string(i) + " in " + f.waits_in + " at " + name_of(f.where);
    ++told;
  }
}

void Block::meet(Where where) {
  if (at_barrier_ == 0) barrier_where_ = where;
  if (where != barrier_where_)
    fail("threads of one block meet in different barriers, at " + name_of(where) + " and " +
         name_of(barrier_where_));
  if (returned_ > 0)
    fail("a barrier of the block after some of its threads have returned, at " + name_of(where));
  if (++at_barrier_ == threads_) {
    at_barrier_ = 0;
    ++stand.block_epoch;
    wake(0, threads_, ~0u);
  }
  wait("__syncthreads()", where);
}

}  // namespace simt
