// The ranks that join one NCCL id: threads of one or several processes, over memory that all of them map.
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

/// The arguments of a collective call, which must be equal on all ranks.
struct Collective {
  enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather };

  Kind kind = Kind::all_reduce;
  ncclDataType_t type = ncclFloat32;
  std::size_t count = 0;  // elements per rank and part

  bool operator==(const Collective&) const = default;
};

/// A rank of an id. Data is exchanged in numbered steps: each rank posts what it sends, takes what all have
/// posted, and posts again only after all have taken it. Used under the runtime's mutex.
class Group {
 public:
  /// Makes an id that ranks can join during the lifetime of this process. Its memory has no name in a file
  /// system and disappears with the last process that maps it.
  static ncclUniqueId make();
  /// Joins an id. Throws std::runtime_error if that is impossible.
  Group(const ncclUniqueId& id, int size, int rank);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Whether all ranks have joined.
  bool is_complete() const;
  void wait_for_all() const;
  /// Called once after all have joined, before the first step.
  void begin();

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Maximum bytes that a rank can post in a step.
  static constexpr std::size_t kSlotBytes = std::size_t{1} << 20;

  /// Counts one more collective call of this rank.
  void count_call();
  /// Whether the ranks of this process that have not left have made equally many calls.
  bool calls_are_equal_here() const;
  /// Announces one more step; returns its number, from 1.
  std::uint64_t next_step();
  bool all_posted(std::uint64_t step) const;
  bool all_taken(std::uint64_t step) const;
  /// Returns the slot of a rank's data: this rank's until it is posted, any rank's until it is taken.
  std::byte* slot(int rank) const;
  void post(std::uint64_t step, const Collective& call);
  void take(std::uint64_t step);
  /// Whether all ranks have posted the same.
  bool all_alike() const;

  /// Ends all waiting.
  void abort() { aborted_ = true; }
  bool aborted() const { return aborted_; }
  /// Leaves the group. Ranks of a process that aborted leave with its last one, so that others do not wait
  /// for them before they learn of it. Not called under the mutex.
  void leave();

 private:
  struct Slot;
  struct Region;

  std::span<Slot> slots() const;
  std::vector<Slot*> slots_of_process() const;
  /// Runs stream operations on a thread of its own while other processes may wait for them.
  void drive();
  bool step_for_others();

  Region* region_ = nullptr;
  Slot* own_ = nullptr;
  pid_t maker_ = 0;  // process that owns the file of the memory
  int file_ = -1;
  int rank_ = 0, size_ = 0;
  std::uint64_t steps_ = 0;
  bool aborted_ = false;
  std::atomic<bool> leaving_ = false;
  std::thread driver_;  // only with several processes
};

}  // namespace simt
