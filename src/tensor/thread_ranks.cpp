#include "tensor/thread_ranks.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "common/side_by_side.h"

namespace nmt {
namespace {

/// Where ranks wait for one another.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {}

  /// Returns when all ranks have called it; throws when one never will.
  void wait() {
    std::unique_lock lock(guard_);
    if (ended_) throw RankEnded();
    if (++present_ == size_) {
      present_ = 0;
      ++number_;
      all_present_.notify_all();
      return;
    }
    const std::int64_t number = number_;
    all_present_.wait(lock, [&] { return number_ != number || ended_; });
    if (number_ == number) throw RankEnded();
  }

  /// Nobody need wait for all ranks any more.
  void end() {
    const std::lock_guard lock(guard_);
    ended_ = true;
    all_present_.notify_all();
  }

 private:
  const int size_;
  std::mutex guard_;
  std::condition_variable all_present_;
  int present_ = 0;
  std::int64_t number_ = 0;  // of meetings so far
  bool ended_ = false;
};

/// What the ranks show one another between two meetings.
struct Table {
  explicit Table(int size) : meeting(size), tensors(static_cast<std::size_t>(size)) {}

  Meeting meeting;
  std::vector<Tensor> tensors;  // of each rank
  std::span<std::byte> message;
};

/// Elements [begin, end) of all tensors := their sums.
template <class T>
void sum_elements(const std::vector<Tensor>& tensors, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kBlock = 1024;  // elements that stay in the cache
  std::array<T, kBlock> sums;
  for (std::int64_t first = begin; first < end; first += kBlock) {
    const std::int64_t count = std::min(kBlock, end - first);
    std::copy_n(tensors[0].data<T>() + first, count, sums.begin());
    for (std::size_t rank = 1; rank < tensors.size(); ++rank) {
      const T* x = tensors[rank].data<T>() + first;
      for (std::int64_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(i)] += x[i];
    }
    for (const Tensor& tensor : tensors) std::copy_n(sums.begin(), count, tensor.data<T>() + first);
  }
}

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Table& table, int rank) : table_(table), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(table_.tensors.size()); }

  void all_reduce(const Tensor& x) override {
    Tensor& shown = table_.tensors[static_cast<std::size_t>(rank_)];
    shown = Tensor(1, x.size(), x.dtype(), x.raw(), nullptr);  // the memory may go before the table does
    table_.meeting.wait();
    const std::int64_t begin = x.size() * rank_ / size(), end = x.size() * (rank_ + 1) / size();
    if (x.dtype() == DType::f64) {
      sum_elements<double>(table_.tensors, begin, end);
    } else {
      sum_elements<float>(table_.tensors, begin, end);
    }
    table_.meeting.wait();
  }

  void broadcast(std::span<std::byte> message) override {
    if (rank_ == 0) table_.message = message;
    table_.meeting.wait();
    if (rank_ != 0) std::ranges::copy(table_.message, message.begin());
    table_.meeting.wait();
  }

 private:
  Table& table_;
  int rank_;
};

}  // namespace

void run_ranks(int size, const std::function<void(Communicator&)>& work) {
  Table table(size);
  side_by_side(static_cast<std::size_t>(size), [&](std::size_t rank) {
    try {
      ThreadRank communicator(table, static_cast<int>(rank));
      work(communicator);
    } catch (const RankEnded&) {  // the other one tells why
    } catch (...) {
      table.meeting.end();
      throw;
    }
    table.meeting.end();
  });
}

}  // namespace nmt
