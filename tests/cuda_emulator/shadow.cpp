// Every pair of bytes of device memory and of shared memory has a shadow. The shadow records who wrote the
// bytes last and who read them, as a stamp of (run of a block, barriers passed by the block, by the warp,
// thread). Two accesses, one of them a write, are in order if they are of one thread or of different
// launches. Accesses of one block are in order if a block barrier lies between them, and accesses of one warp
// if a barrier of the warp does. Otherwise they race.
#include "cuda_emulator/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/place.h"
#include "cuda_emulator/simt.h"

namespace simt {

thread_local Stand stand;
Traffic moved;

namespace {

struct Cell {
  std::uint64_t write = 0, read = 0;                   // stamps; 0: never
  const void *write_at = nullptr, *read_at = nullptr;  // return addresses
};

// A stamp: run 28 bits | barriers of the block 10 | of the warp 12 | thread 10 | flags 4
constexpr std::uint64_t kManyLanes = 1, kManyWarps = 2, kAtomic = 4, kManyBlocks = 8;
constexpr unsigned kBlockEpochs = 1023, kWarpEpochs = 4095, kThreads = 1023;
constexpr std::uint64_t kSplit = ~std::uint64_t{0};  // the two bytes differ: each has a cell of its own

constexpr std::uint64_t stamp(std::uint64_t run, unsigned block_epoch, unsigned warp_epoch, unsigned thread) {
  return run << 36 | std::uint64_t{block_epoch & kBlockEpochs} << 26 |
         std::uint64_t{warp_epoch & kWarpEpochs} << 14 | std::uint64_t{thread} << 4;
}
constexpr std::uint64_t run_of(std::uint64_t s) {
  return s >> 36;
}
constexpr unsigned block_epoch_of(std::uint64_t s) {
  return static_cast<unsigned>(s >> 26) & kBlockEpochs;
}
constexpr unsigned warp_epoch_of(std::uint64_t s) {
  return static_cast<unsigned>(s >> 14) & kWarpEpochs;
}
constexpr unsigned thread_of(std::uint64_t s) {
  return static_cast<unsigned>(s >> 4) & kThreads;
}
constexpr std::uint64_t kHost = stamp(1, 0, 0, 0);

Cell *pairs = nullptr, *singles = nullptr;
std::set<std::tuple<const char*, const void*, const void*>> told;
std::set<std::string> told_lines;

struct Access {
  const void* address;
  std::size_t bytes;
  bool write, atomic, shared;
  const void* pc;
  std::uint64_t stamp;
};

/// Whether another access, with this stamp, can happen at the same time as the one of the running thread.
inline bool unordered(std::uint64_t s, bool lanes_too, bool shared) {
  const std::uint64_t run = run_of(s);
  if (run < stand.first_run) return false;
  if (run != stand.run || (s & kManyBlocks) != 0) return !shared;
  if (block_epoch_of(s) != (stand.block_epoch & kBlockEpochs)) return false;
  if (lanes_too && (s & kManyWarps) != 0) return true;
  const bool same_warp = thread_of(s) / 32 == stand.thread / 32;
  if (same_warp && warp_epoch_of(s) != (stand.warp_epoch & kWarpEpochs)) return false;
  return thread_of(s) != stand.thread || (lanes_too && (s & kManyLanes) != 0);
}

/// Strings here may be instrumented, because the linker keeps one copy of an inline function.
struct Outside {
  bool inside = std::exchange(stand.inside, false), emulating = std::exchange(stand.emulating, true);
  ~Outside() { stand.inside = inside, stand.emulating = emulating; }
};

std::string memory_name(const void* address) {
  if (memory.holds_shared(address)) return "shared memory at +" + std::to_string(memory.offset(address));
  return memory.holds(address) ? "device memory" : "host memory";
}

std::string thread_name(std::uint64_t s) {
  return (run_of(s) == stand.run ? "thread " : "another block's thread ") + std::to_string(thread_of(s));
}

std::string line_of(const void* pc) {
  return "\n    in " + place(static_cast<const char*>(pc) - 1);
}

/// Reports each pair of lines once.
[[gnu::noinline]] void tell(const char* what, const Access& a, const char* other_what = nullptr,
                            std::uint64_t other = 0, const void* other_pc = nullptr) {
  const Outside outside;
  if (!told.emplace(what, a.pc, other_pc).second) return;
  std::string here = line_of(a.pc);
  if (stand.emulating && stand.run != 0)
    here = ", block (" + std::to_string(blockIdx.x) + "," + std::to_string(blockIdx.y) + "," +
           std::to_string(blockIdx.z) + ") thread " + std::to_string(stand.thread) + here;
  std::string there;
  if (other_what != nullptr)
    there = std::string("\n    ") + other_what + " " + thread_name(other) + line_of(other_pc);
  const std::string lines = what + line_of(a.pc) + (other_what != nullptr ? line_of(other_pc) : "");
  if (told_lines.insert(lines).second)
    report(std::string(what) + " " + std::to_string(a.bytes) + " bytes of " + memory_name(a.address) + here +
           there);
}

/// Flags in the stamp of a new reader: the other readers that a later write must not overtake.
std::uint64_t readers(std::uint64_t before, bool shared) {
  if (run_of(before) < stand.first_run) return 0;
  std::uint64_t flags = 0;
  if (run_of(before) == stand.run && block_epoch_of(before) == (stand.block_epoch & kBlockEpochs)) {
    if (thread_of(before) / 32 != stand.thread / 32)
      flags = kManyWarps | kManyLanes;
    else if (warp_epoch_of(before) == (stand.warp_epoch & kWarpEpochs))
      flags = (before & (kManyLanes | kManyWarps)) | (thread_of(before) != stand.thread ? kManyLanes : 0);
    else
      flags = before & kManyWarps;
  }
  if (!shared) flags |= run_of(before) != stand.run ? kManyBlocks : before & kManyBlocks;
  return flags;
}

const bool listing = is_listing();

/// Counts the bytes of a cell of device memory that this launch touches for the first time.
inline void count(const Cell& c, const Access& a, unsigned bytes) {
  if (a.shared || run_of(c.write) >= stand.first_run) return;
  if (a.write)
    moved.written += bytes;
  else if (run_of(c.read) < stand.first_run)
    moved.read += bytes;
}

inline void examine(Cell& c, const Access& a, unsigned bytes) {
  if (listing) count(c, a, bytes);
  if (!(a.atomic && (c.write & kAtomic) != 0) && unordered(c.write, false, a.shared))
    tell(a.write ? "race: a write of" : "race: a read of", a, "against a write by", c.write, c.write_at);
  if (a.write) {
    if (unordered(c.read, true, a.shared))
      tell("race: a write of", a, "against a read by", c.read, c.read_at);
    c.write = a.stamp;
    c.write_at = a.pc;
  } else {
    if (a.shared ? run_of(c.write) != stand.run : c.write == 0) tell("a read of what nobody wrote:", a);
    c.read = (a.stamp & ~kAtomic) | readers(c.read, a.shared);
    c.read_at = a.pc;
  }
}

/// The separate cells of both bytes.
Cell* split(std::size_t pair) {
  Cell* two = singles + 2 * pair;
  if (pairs[pair].write != kSplit) {
    two[0] = two[1] = pairs[pair];
    pairs[pair].write = kSplit;
  }
  return two;
}

/// After both are checked, they are treated as one access: a write makes them equal.
void examine_split(std::size_t pair, const Access& a) {
  Cell* two = singles + 2 * pair;
  examine(two[0], a, 1);
  examine(two[1], a, 1);
  if (!a.write) return;
  pairs[pair] = two[1];
  pairs[pair].read = std::max(two[0].read, two[1].read);
}

void examine_bytes(std::size_t offset, std::size_t bytes, const Access& a) {
  for (std::size_t i = offset; i < offset + bytes; ++i) examine(split(i / 2)[i % 2], a, 1);
}

/// Checks bytes that are in bounds.
void examine_all(std::size_t offset, const Access& a) {
  const std::size_t head = std::min(offset % 2, a.bytes), tail = (a.bytes - head) % 2;
  examine_bytes(offset, head, a);
  for (std::size_t pair = (offset + head) / 2; pair < (offset + a.bytes) / 2; ++pair) {
    if (pairs[pair].write == kSplit)
      examine_split(pair, a);
    else
      examine(pairs[pair], a, 2);
  }
  if (tail > 0) examine_bytes(offset + a.bytes - tail, tail, a);
}

/// Memory other than device memory and the fiber's stack: constants and tables of the program, or pinned
/// memory.
[[gnu::noinline]] void examine_foreign(const Access& a) {
  const Outside outside;
  if (!is_pinned(a.address) && !in_program(a.address))
    tell(a.write ? "a kernel writes" : "a kernel reads", a);
}

Allocation last_hit;  // where the last access was

bool in_bounds(const std::byte* p, std::size_t bytes) {
  if (last_hit.holds(p, bytes)) return true;
  last_hit = allocation_of(p);
  return last_hit.holds(p, bytes);
}

/// Whether all of it exists on the current GPU; if not, reports a finding. CUDA would copy between GPUs, but
/// the backend never intends that.
bool is_reached(const void* data, std::size_t bytes, const char* who, const char* does) {
  const Allocation allocation = allocation_of(data);
  const char* where = nullptr;
  if (!allocation.holds(static_cast<const std::byte*>(data), bytes))
    where = "out of bounds: ";
  else if (allocation.gpu != stand.gpu)
    where = "on another GPU: ";
  if (where != nullptr) report(std::string(where) + who + does);
  return where == nullptr;
}

/// Returns whole pages to the system, which provides zeros later.
void clear(Cell* begin, Cell* end) {
  constexpr std::uintptr_t kPage = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage,
             last = reinterpret_cast<std::uintptr_t>(end) / kPage * kPage;
  if (last < first + 16 * kPage) {
    std::fill(begin, end, Cell{});
    return;
  }
  std::fill(begin, reinterpret_cast<Cell*>(first), Cell{});
  madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  std::fill(reinterpret_cast<Cell*>(last), end, Cell{});
}

Cell* reserve_cells(std::size_t count) {
  void* p = mmap(nullptr, count * sizeof(Cell), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Cell*>(p);
}

}  // namespace

void make_shadow() {
  pairs = reserve_cells(memory.bytes / 2);
  singles = reserve_cells(memory.bytes);
}

void examine_access(const void* address, std::size_t bytes, bool write, bool atomic, const void* pc) {
  const auto* p = static_cast<const std::byte*>(address);
  if (!stand.inside) {
    if (!stand.emulating && memory.holds(p))
      tell("the host touches", {address, bytes, write, false, false, pc, 0});
    return;
  }
  if (p >= stand.stack.begin && p < stand.stack.end) return;
  const std::size_t offset = memory.offset(p);
  const bool shared = offset < kSharedLimit;
  const Access a{
      address,
      bytes,
      write,
      atomic,
      shared,
      pc,
      stamp(stand.run, stand.block_epoch, stand.warp_epoch, stand.thread) | (atomic ? kAtomic : 0)};
  if (offset >= memory.bytes) return examine_foreign(a);
  if (shared ? offset + bytes > stand.shared_bytes : !in_bounds(p, bytes))
    return tell(write ? "out of bounds: a write of" : "out of bounds: a read of", a);
  if (!shared && last_hit.gpu != stand.gpu)
    return tell(write ? "on another GPU: a write of" : "on another GPU: a read of", a);
  examine_all(offset, a);
}

void examine_aligned(const void* address, std::size_t bytes, bool write, const void* pc) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0 && stand.inside && memory.holds(address))
    return tell("misaligned: an access to", {address, bytes, write, false, false, pc, 0});
  examine_access(address, bytes, write, false, pc);
}

void touch(const void* address, std::size_t bytes, bool write, bool atomic) {
  if (!instrumented()) return;
  const void* pc = __builtin_return_address(0);
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    tell("misaligned: an access to", {address, bytes, write, atomic, false, pc, 0});
  examine_access(address, bytes, write, atomic, pc);
}

void forget(const void* data, std::size_t bytes) {
  const std::size_t first = memory.offset(data), last = first + bytes + bytes % 2;
  clear(pairs + first / 2, pairs + last / 2);
  last_hit = {};
}

void forget_told() {
  told.clear();
  told_lines.clear();
}

void wrote(const void* data, std::size_t bytes, const char* who) {
  if (!memory.holds(data) || bytes == 0) return;
  if (!is_reached(data, bytes, who, " writes") || !instrumented()) return;
  const Cell written{kHost, 0, nullptr, nullptr};
  std::size_t first = memory.offset(data), last = first + bytes;
  if (first % 2 != 0) split(first / 2)[1] = written, ++first;
  if (last % 2 != 0 && last > first) split(last / 2)[0] = written, --last;
  std::fill(pairs + first / 2, pairs + std::max(first, last) / 2, written);
}

void reads(const void* data, std::size_t bytes, const char* who) {
  if (!memory.holds(data) || bytes == 0) return;
  if (!is_reached(data, bytes, who, " reads") || !instrumented()) return;
  const std::size_t first = memory.offset(data), last = first + bytes;
  for (std::size_t pair = first / 2; pair < (last + 1) / 2; ++pair) {
    std::uint64_t write = pairs[pair].write;
    if (write == kSplit) {
      const bool low = 2 * pair >= first, high = 2 * pair + 1 < last;
      write = std::min(low ? singles[2 * pair].write : kHost, high ? singles[2 * pair + 1].write : kHost);
    }
    if (write == 0) return report(std::string(who) + " reads what nobody wrote");
  }
}

}  // namespace simt
