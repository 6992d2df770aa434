// Ranks that are processes, joined by a Transport.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "ranks/transport.h"
#include "tensor/communicator.h"

namespace nmt {

/// One rank of several that have a process each. Tensors lie in host memory; a sum is
/// taken in the order of the ranks, each rank adding up a part of its own, which all then get. A thread
/// sends, receives and adds while the caller goes on; it looks at the transport often where it has just seen
/// something happen, and then less and less often, so that a wait takes no processor away from those who
/// compute.
class ProcessRanks final : public Communicator {
 public:
  /// `connect` is called on that thread. Throws what it throws.
  explicit ProcessRanks(const std::function<std::unique_ptr<Transport>()>& connect);
  ~ProcessRanks() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void all_reduce(const Tensor& x) override;
  void reduce_scatter(const Tensor& x, DType travel) override;
  void all_gather(const Tensor& x) override;
  void finish() override;
  /// Rank 0 does not wait for the others.
  void broadcast(std::span<std::byte> message) override;
  std::vector<std::byte> gather(std::span<const std::byte> message) override;

  /// The end, which all ranks come to: nothing is under way any more, and nothing is asked for.
  void leave();
  /// The end of one rank before the others: what is under way is dropped, and its memory not looked at any
  /// more. Who waits for it, on another thread, and whoever asks for something from then on gets RankEnded.
  void abandon();

 private:
  using Task = std::function<void()>;

  /// What the thread does.
  void serve(const std::function<std::unique_ptr<Transport>()>& connect);
  [[noreturn]] void work();
  /// Leaves a task to the thread; the number of it.
  std::int64_t post(Task task);
  /// Returns when task `number` is done; throws what ended the thread before that.
  void wait(std::int64_t number);
  void run(Task task) { wait(post(std::move(task))); }

  // The rest is called on the thread.

  void exchange(const std::vector<Transport::Outgoing>& to, const std::vector<Transport::Incoming>& from);
  /// The same bytes to all other ranks, and theirs.
  void give(Transport::Outgoing own, const std::vector<Transport::Incoming>& from);
  /// Where the elements of all ranks lie that this one adds up: `all` are its own.
  template <class Travel>
  std::vector<const Travel*> swap_parts(std::span<const Travel> all);
  /// The part of this rank := the sum, of what travels as Travel.
  template <class T, class Travel>
  void scatter_sum(const Tensor& x);
  void scatter_sum(const Tensor& x, DType travel);
  void gather_parts(const Tensor& x);
  std::vector<std::byte> collect(std::span<const std::byte> message);

  std::unique_ptr<Transport> transport_;
  int rank_ = 0, size_ = 1;
  std::vector<std::byte> parts_;  // of other ranks, to be added up

  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::int64_t posted_ = 0, done_ = 0;
  bool is_connected_ = false;
  std::atomic<bool> stopping_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace nmt
