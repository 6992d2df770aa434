// The ranks that one id of NCCL joins: threads of one process or of several, over memory that all of them
// map.
#pragma once

#include <nccl.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace simt {

/// What ranks call together, and must call alike.
struct Collective {
  enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather };

  Kind kind = Kind::all_reduce;
  ncclDataType_t type = ncclFloat32;
  std::size_t count = 0;  // elements that each rank has of each part

  bool operator==(const Collective&) const = default;
};

/// A rank among those of its id. Data goes in steps, which are counted: each rank posts what it sends in one,
/// takes what all have posted, and posts no more until all have taken that. Under the runtime's mutex.
class Group {
 public:
  /// Makes one that ranks can join, for as long as this process lives. It has no name in a file system, and
  /// goes with the last process that maps it.
  static ncclUniqueId make();
  /// Joins it. Throws std::runtime_error where that cannot be.
  Group(const ncclUniqueId& id, int size, int rank);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Whether all have joined; returns when they have.
  bool is_complete() const;
  void wait_for_all() const;
  /// All have joined: called once, before the first step.
  void begin();

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Bytes that a rank can post in a step.
  static constexpr std::size_t kSlotBytes = std::size_t{1} << 20;

  /// Counts one more collective call of this rank.
  void count_call();
  /// Whether the ranks of this process, but for those that have left, have made equally many.
  bool calls_are_equal_here() const;
  /// Counts one more step, which will be made; its number, from 1.
  std::uint64_t next_step();
  bool all_posted(std::uint64_t step) const;
  bool all_taken(std::uint64_t step) const;
  /// Where a rank's data lies, this one's until it is posted, that of all until it is taken.
  std::byte* slot(int rank) const;
  void post(std::uint64_t step, const Collective& call);
  void take(std::uint64_t step);
  /// Whether all have posted the same.
  bool all_alike() const;

  /// Nothing is waited for any more.
  void abort() { aborted_ = true; }
  bool aborted() const { return aborted_; }
  /// The rank is gone; those of a process that aborted are with the last one of it, lest others wait for them
  /// who have not heard of it. Not under the mutex.
  void leave();

 private:
  struct Slot;
  struct Region;

  std::span<Slot> slots() const;
  std::vector<Slot*> slots_of_process() const;
  /// Does what was put on streams while other processes may wait for it, whose threads cannot do it.
  void drive();
  bool step_for_others();

  Region* region_ = nullptr;
  Slot* own_ = nullptr;
  pid_t maker_ = 0;  // whose file the memory is
  int file_ = -1;
  int rank_ = 0, size_ = 0;
  std::uint64_t steps_ = 0;
  bool aborted_ = false;
  std::atomic<bool> leaving_ = false;
  std::thread driver_;  // where there are several processes
};

}  // namespace simt
