#include <cstring>
#include <numeric>

#include "cuda_emulator/block.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/place.h"
#include "cuda_emulator/shadow.h"

uint3 simt_thread_index, simt_block_index, simt_block_size, simt_grid_size;

namespace simt {
namespace {

constexpr std::uint64_t kFirstRun = 16;  // smaller numbers stand for the host

/// Returns the n-th block to run; kernels must not rely on an order.
std::uint64_t block_number(std::uint64_t n, std::uint64_t blocks) {
  if (settings().order == Order::forward) return n;
  if (settings().order == Order::reverse) return blocks - 1 - n;
  std::uint64_t step = settings().seed * 7919 % blocks + blocks / 3 + 1;
  while (std::gcd(step, blocks) != 1) ++step;
  return n * step % blocks;
}

struct Emulating {
  Emulating() { stand.emulating = true; }
  ~Emulating() { stand.emulating = stand.inside = false; }
};

}  // namespace

void set_thread_index(uint3 index) {
  simt_thread_index = index;
}

void begin_kernel() {
  stand.inside = true;
}

void* shared_memory() {
  return memory.begin;
}

void block_barrier(Where where) {
  stand.inside = false;  // what follows is not the kernel's doing
  Block::running().meet(where);
  stand.inside = true;  // back in the kernel
}

void run_grid(const Shape& shape, const std::function<void()>& kernel, const void* function) {
  static std::uint64_t runs = kFirstRun;
  simt_block_size = {shape.block.x, shape.block.y, shape.block.z};
  simt_grid_size = {shape.grid.x, shape.grid.y, shape.grid.z};
  stand.first_run = runs;
  moved = {};
  stand.shared_bytes = shape.shared_bytes;
  const Emulating emulating;
  const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t n = block_number(i, blocks);
    simt_block_index = {static_cast<unsigned>(n % shape.grid.x),
                        static_cast<unsigned>(n / shape.grid.x % shape.grid.y),
                        static_cast<unsigned>(n / shape.grid.x / shape.grid.y)};
    stand.run = runs++;
    std::memset(memory.begin, kPoison, shape.shared_bytes);
    try {
      Block::running().run(shape, kernel);
    } catch (const Failure& failure) {
      throw Failure(place(function) + ": " + failure.what());
    }
  }
  if (is_listing()) list(kernel_name(function) + ", " + std::to_string(blocks) + " blocks", 0, moved);
}

}  // namespace simt
