#include "cuda_emulator/nccl_group.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

constexpr int kMostRanks = 64;

/// The contents of an id: the file of the process that made it.
struct Address {
  pid_t process = 0;
  int file = -1;
};

Address address_in(const ncclUniqueId& id) {
  Address address;
  std::memcpy(&address, id.internal, sizeof address);
  return address;
}

/// Wakes all processes that map it.
class Bell {
 public:
  std::uint32_t rings() const { return rings_; }
  void ring() {
    ++rings_;
    futex(FUTEX_WAKE, INT_MAX);
  }
  /// Returns after the next change.
  void wait(std::uint32_t rings) { futex(FUTEX_WAIT, rings); }

 private:
  void futex(int operation, std::uint32_t value) {
    syscall(SYS_futex, &rings_, operation, value, nullptr, nullptr, 0);
  }

  std::atomic<std::uint32_t> rings_ = 0;
};

}  // namespace

struct alignas(64) Group::Slot {
  std::atomic<pid_t> process = 0;  // 0: not there yet
  std::thread::id thread;          // of that process
  std::atomic<bool> left = false, has_aborted = false;
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::uint64_t> posted = 0, taken = 0;  // steps
  Collective call;                                   // of the step that was posted last
};

/// An id of zeros that nobody has joined.
struct Group::Region {
  Bell bell;
  std::array<Slot, kMostRanks> slots;
};

namespace {

constexpr std::size_t kSlots = 64 << 10;  // from here on
constexpr std::size_t kRegion = kSlots + kMostRanks * Group::kSlotBytes;

/// The region, whose memory is provided when it is first touched.
void* map_region(const Address& address) {
  const std::string path = "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw std::runtime_error("ncclCommInitRank: an id of nobody who is there");
  void* const region = mmap(nullptr, kRegion, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (region == MAP_FAILED) throw std::bad_alloc();
  return region;
}

}  // namespace

ncclUniqueId Group::make() {
  const Address address{getpid(), memfd_create("nccl", MFD_CLOEXEC)};
  if (address.file < 0 || ftruncate(address.file, kRegion) != 0) throw std::bad_alloc();
  ncclUniqueId id{};
  std::memcpy(id.internal, &address, sizeof address);
  return id;
}

Group::Group(const ncclUniqueId& id, int size, int rank) : rank_(rank), size_(size) {
  static_assert(sizeof(Region) <= kSlots);
  if (size > kMostRanks)
    throw std::runtime_error("ncclCommInitRank: more ranks than the emulator has room for");
  const Address address = address_in(id);
  region_ = static_cast<Region*>(map_region(address));
  own_ = &slots()[static_cast<std::size_t>(rank)];
  own_->thread = std::this_thread::get_id();
  join_threads(own_->thread);
  maker_ = address.process;
  file_ = address.file;
  own_->process = getpid();
  region_->bell.ring();
}

void Group::begin() {
  // The file is no longer needed; of the ranks in the process that made it, the first one closes it.
  const std::vector<Slot*> here = slots_of_process();
  if (maker_ == getpid() && here[0] == own_) close(file_);
  if (std::ssize(here) == size_) return;
  driver_ = std::thread([this] { drive(); });
  join_threads(driver_.get_id());
}

Group::~Group() {
  munmap(region_, kRegion);
}

bool Group::is_complete() const {
  return std::ranges::all_of(slots(), [](const Slot& slot) { return slot.process != 0; });
}

void Group::wait_for_all() const {
  for (;;) {
    const std::uint32_t rings = region_->bell.rings();
    if (is_complete()) return;
    region_->bell.wait(rings);
  }
}

void Group::leave() {
  leaving_ = true;
  region_->bell.ring();
  if (driver_.joinable()) {
    const std::thread::id driver = driver_.get_id();
    driver_.join();
    leave_threads(driver);
  }
  const std::lock_guard lock(runtime_mutex());
  own_->left = true;
  own_->has_aborted = aborted_;
  if (!aborted_) leave_threads(own_->thread);
  const std::vector<Slot*> here = slots_of_process();
  if (!std::ranges::all_of(here, [](const Slot* slot) { return slot->left.load(); })) return;
  for (const Slot* slot : here)
    if (slot->has_aborted) leave_threads(slot->thread);
}

void Group::count_call() {
  ++own_->calls;
}

bool Group::calls_are_equal_here() const {
  const std::vector<Slot*> here = slots_of_process();
  return std::ranges::all_of(here,
                             [&](const Slot* slot) { return slot->left || slot->calls == own_->calls; });
}

std::uint64_t Group::next_step() {
  region_->bell.ring();  // for the driver
  return ++steps_;
}

bool Group::all_posted(std::uint64_t step) const {
  return std::ranges::all_of(slots(), [&](const Slot& slot) { return slot.posted >= step; });
}

bool Group::all_taken(std::uint64_t step) const {
  return std::ranges::all_of(slots(), [&](const Slot& slot) { return slot.taken >= step; });
}

std::byte* Group::slot(int rank) const {
  return reinterpret_cast<std::byte*>(region_) + kSlots + static_cast<std::size_t>(rank) * kSlotBytes;
}

void Group::post(std::uint64_t step, const Collective& call) {
  own_->call = call;
  own_->posted = step;
  region_->bell.ring();
}

void Group::take(std::uint64_t step) {
  own_->taken = step;
  region_->bell.ring();
}

bool Group::all_alike() const {
  return std::ranges::all_of(slots(), [&](const Slot& slot) { return slot.call == own_->call; });
}

std::span<Group::Slot> Group::slots() const {
  return std::span(region_->slots).first(static_cast<std::size_t>(size_));
}

std::vector<Group::Slot*> Group::slots_of_process() const {
  std::vector<Slot*> here;
  for (Slot& slot : slots())
    if (slot.process == getpid()) here.push_back(&slot);
  return here;
}

void Group::drive() {
  while (!leaving_) {
    const std::uint32_t rings = region_->bell.rings();
    while (step_for_others()) {
    }
    if (!leaving_) region_->bell.wait(rings);
  }
}

bool Group::step_for_others() {
  const std::lock_guard lock(runtime_mutex());
  const bool stepped = !aborted_ && own_->taken < steps_ && step_some();
  runtime_mutex().notify();
  return stepped;
}

}  // namespace simt
