// Operations in which the lanes of a warp take part together.
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda_emulator/block.h"
#include "cuda_emulator/shadow.h"

namespace simt {
namespace {

constexpr int kLanes = 32;

/// Lanes that meet in one function.
struct Meeting {
  unsigned mask = 0, came = 0, left = 0;  // left: lanes that have yet to take their results; 0: free
  Where where{};
  alignas(16) std::byte slots[kLanes][kSlotBytes];
};

using Meetings = std::vector<std::unique_ptr<Meeting>>;

Meetings& meetings_of(int warp) {
  static auto& all = *new std::array<Meetings, kLanes>;
  return all[static_cast<std::size_t>(warp)];
}

/// All lanes of the mask must exist and be running.
void check_mask(Block& block, unsigned mask, Where where) {
  const int first = block.now() / kLanes * kLanes, last = std::min(first + kLanes, block.threads());
  if ((mask >> (block.now() - first) & 1) == 0)
    Block::fail("a lane calls a function of its warp with a mask that leaves it out, at " + name_of(where));
  if (!block.some_returned() && last == first + kLanes) return;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const bool exists = first + lane < last;
    if (!exists || block.fiber(first + lane).done)
      Block::fail("lane " + std::to_string(lane) + " is in the mask of a function of its warp but " +
                  (exists ? "has returned, at " : "does not exist, at ") + name_of(where));
  }
}

Meeting& join(Meetings& meetings, unsigned mask, Where where) {
  Meeting* free = nullptr;
  for (const auto& m : meetings) {
    if (m->left == 0) {
      free = m.get();
    } else if (m->came != m->mask && (m->mask & mask) != 0) {
      if (m->mask != mask || m->where != where)
        Block::fail("lanes of one warp meet in different functions or with different masks, at " +
                    name_of(where) + " and " + name_of(m->where));
      return *m;
    }
  }
  if (free == nullptr) free = meetings.emplace_back(std::make_unique<Meeting>()).get();
  free->mask = free->left = mask;
  free->came = 0;
  free->where = where;
  std::memset(free->slots, kPoison, sizeof free->slots);
  return *free;
}

void meet(unsigned mask, void* data, std::size_t bytes, void (*finish)(Slots, unsigned), bool orders_memory,
          Where where) {
  stand.inside = false;  // what follows, `finish` too, is not the kernel's doing
  Block& block = Block::running();
  const int first = block.now() / kLanes * kLanes, lane = block.now() - first;
  check_mask(block, mask, where);
  Meeting& m = join(meetings_of(first / kLanes), mask, where);
  if (bytes > 0) std::memcpy(m.slots[lane], data, bytes);
  m.came |= 1u << lane;
  if (m.came == mask) {
    if (finish != nullptr) finish(m.slots, mask);
    for (int i = 0; orders_memory && i < kLanes; ++i)
      if ((mask >> i & 1) != 0) ++block.fiber(first + i).warp_epoch;
    block.wake(first, std::min(first + kLanes, block.threads()), mask);
  }
  block.wait(where.function, where);
  if (bytes > 0) std::memcpy(data, m.slots[lane], bytes);
  m.left &= ~(1u << lane);
  stand.inside = true;
}

}  // namespace

void reset_warps() {
  for (int warp = 0; warp < kLanes; ++warp)
    for (const auto& m : meetings_of(warp)) m->left = 0;
}

void collective(unsigned mask, void* data, std::size_t bytes, void (*finish)(Slots, unsigned), Where where) {
  meet(mask, data, bytes, finish, false, where);
}

void warp_barrier(unsigned mask, Where where) {
  meet(mask, nullptr, 0, nullptr, true, where);
}

}  // namespace simt
