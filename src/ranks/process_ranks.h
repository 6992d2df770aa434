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

/// One of several ranks with a process each. Tensors lie in host memory. Sums are added in the order of the
/// ranks: each rank adds up its own part, which all ranks then receive. A background thread sends, receives
/// and adds while the caller continues. It polls the transport often right after activity, and then less and
/// less often, so that waiting does not take processor time from computation.
class ProcessRanks final : public Communicator {
 public:
  /// `connect` is called on the background thread. Throws what `connect` throws.
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

  /// Ends communication after all work is done. All ranks call this.
  void leave();
  /// Ends this rank before the others: drops pending work without accessing its memory again. Waiting calls
  /// on other threads and all later calls throw RankEnded.
  void abandon();

 private:
  using Task = std::function<void()>;

  /// The body of the background thread.
  void serve(const std::function<std::unique_ptr<Transport>()>& connect);
  [[noreturn]] void work();
  /// Passes a task to the thread and returns its number.
  std::int64_t post(Task task);
  /// Returns when task `number` is done. Throws the exception that ended the thread before that.
  void wait(std::int64_t number);
  void run(Task task) { wait(post(std::move(task))); }

  // The following functions run on the background thread.

  void exchange(const std::vector<Transport::Outgoing>& to, const std::vector<Transport::Incoming>& from);
  /// Sends the same bytes to all other ranks, and receives theirs.
  void give(Transport::Outgoing own, const std::vector<Transport::Incoming>& from);
  /// Exchanges parts among all ranks and returns where the elements of each rank are that this rank adds up.
  /// `all`: the elements of this rank.
  template <class Travel>
  std::vector<const Travel*> swap_parts(std::span<const Travel> all);
  /// Sums the part of this rank over all ranks; elements are sent as type Travel.
  template <class T, class Travel>
  void scatter_sum(const Tensor& x);
  void scatter_sum(const Tensor& x, DType travel);
  void gather_parts(const Tensor& x);
  std::vector<std::byte> collect(std::span<const std::byte> message);

  std::unique_ptr<Transport> transport_;
  int rank_ = 0, size_ = 1;
  std::vector<std::byte> parts_;  // parts of other ranks, to be added up

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
