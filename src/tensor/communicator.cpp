#include "tensor/communicator.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "common/process/side_by_side.h"

namespace nmt {
namespace {

using Length = std::uint64_t;

std::span<std::byte> bytes_of(Length& length) {
  return std::as_writable_bytes(std::span(&length, 1));
}

/// A barrier at which ranks wait for each other.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {}

  /// Returns when all ranks have called it; throws RankEnded if one never will.
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

  /// Releases all waiting ranks, because one has ended.
  void end() {
    const std::lock_guard lock(guard_);
    ended_ = true;
    all_present_.notify_all();
  }
  /// Releases all waiting ranks, because one has failed, and calls the registered functions.
  void fail() {
    end();
    const std::lock_guard lock(guard_);
    failed_ = true;
    for (const auto& [rank, abort] : aborts_) abort();
    aborts_.clear();
  }
  /// Registers a function that is called for this rank if another fails; calls it at once if one already has.
  void when_failed(int rank, const std::function<void()>& abort) {
    const std::lock_guard lock(guard_);
    aborts_.erase(rank);
    if (!abort) return;
    if (failed_)
      abort();
    else
      aborts_.emplace(rank, abort);
  }

 private:
  const int size_;
  std::mutex guard_;
  std::condition_variable all_present_;
  int present_ = 0;
  std::int64_t number_ = 0;  // number of meetings so far
  bool ended_ = false, failed_ = false;
  std::map<int, std::function<void()>> aborts_;
};

/// Data that the ranks share between two meetings.
struct Table {
  explicit Table(int size)
      : meeting(size), tensors(static_cast<std::size_t>(size)), messages(static_cast<std::size_t>(size)) {}

  Meeting meeting;
  std::vector<Tensor> tensors;  // one for each rank
  std::vector<std::span<const std::byte>> messages;
};

/// Adds up some elements at a time of a part over all tensors, and calls use(sums, first) for them.
template <class T, class Travel, class Use>
void sum_elements(const std::vector<Tensor>& tensors, const Part& part, const Use& use) {
  std::vector<const T*> terms(tensors.size());
  std::ranges::transform(tensors, terms.begin(),
                         [&](const Tensor& tensor) { return tensor.data<T>() + part.begin; });
  const auto traveled = [](T x) { return arrived<T>(departed<Travel>(x)); };
  sum_over_ranks<T>(terms, static_cast<std::size_t>(part.size), traveled,
                    [&](std::span<const T> sums, std::size_t first) {
                      use(sums, part.begin + static_cast<std::int64_t>(first));
                    });
}

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Table& table, int rank) : table_(table), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(table_.tensors.size()); }

  void all_reduce(const Tensor& x) override {
    show(x);
    if (x.dtype() == DType::f64) {
      all_reduce_as<double>(x.size());
    } else {
      all_reduce_as<float>(x.size());
    }
    table_.meeting.wait();
  }

  void reduce_scatter(const Tensor& x, DType travel) override {
    show(x);
    const bool rounded = travel != x.dtype();
    if (x.dtype() == DType::f64) {
      rounded ? reduce_scatter_as<double, BFloat16>(x) : reduce_scatter_as<double, double>(x);
    } else {
      rounded ? reduce_scatter_as<float, BFloat16>(x) : reduce_scatter_as<float, float>(x);
    }
    table_.meeting.wait();
  }

  void all_gather(const Tensor& x) override {
    show(x);
    for (int rank = 0; rank < size(); ++rank) {
      if (rank == rank_) continue;
      const auto [begin, count] = part_of(x.size(), rank, size());
      const Tensor from = table_.tensors[static_cast<std::size_t>(rank)].slice_columns(begin, count);
      std::copy_n(from.raw_row(0), from.bytes(), shown().slice_columns(begin, count).raw_row(0));
    }
    table_.meeting.wait();
  }

  void broadcast(std::span<std::byte> message) override {
    table_.messages[static_cast<std::size_t>(rank_)] = message;
    table_.meeting.wait();
    if (rank_ != 0) std::ranges::copy(table_.messages[0], message.begin());
    table_.meeting.wait();
  }

  std::vector<std::byte> gather(std::span<const std::byte> message) override {
    table_.messages[static_cast<std::size_t>(rank_)] = message;
    table_.meeting.wait();
    std::vector<std::byte> all;
    if (rank_ == 0) {
      for (const auto& of_rank : table_.messages) all.insert(all.end(), of_rank.begin(), of_rank.end());
    }
    table_.meeting.wait();
    return all;
  }
  void meet_in_process() override { table_.meeting.wait(); }
  void when_failed(const std::function<void()>& abort) override { table_.meeting.when_failed(rank_, abort); }

 private:
  /// Shares a tensor and returns when all ranks have shared theirs.
  void show(const Tensor& x) {
    shown() = Tensor(1, x.size(), x.dtype(), x.raw(), nullptr);  // non-owning: memory may be freed first
    table_.meeting.wait();
  }
  Tensor& shown() { return table_.tensors[static_cast<std::size_t>(rank_)]; }
  Part own_part(std::int64_t elements) const { return part_of(elements, rank_, size()); }

  template <class T>
  void all_reduce_as(std::int64_t elements) {
    sum_elements<T, T>(table_.tensors, own_part(elements), [&](std::span<const T> sums, std::int64_t first) {
      for (const Tensor& tensor : table_.tensors) std::ranges::copy(sums, tensor.data<T>() + first);
    });
  }
  template <class T, class Travel>
  void reduce_scatter_as(const Tensor& x) {
    sum_elements<T, Travel>(
        table_.tensors, own_part(x.size()),
        [&](std::span<const T> sums, std::int64_t first) { std::ranges::copy(sums, x.data<T>() + first); });
  }

  Table& table_;
  int rank_;
};

}  // namespace

std::vector<std::string> all_gather_text(ProcessGroup& group, std::string_view message) {
  Length length = message.size();
  const std::span<const std::byte> head = bytes_of(length), body = std::as_bytes(std::span(message));
  std::vector<std::byte> own(head.begin(), head.end());
  own.insert(own.end(), body.begin(), body.end());
  std::vector<std::byte> all = group.gather(own);
  Length size = all.size();
  group.broadcast(bytes_of(size));
  all.resize(size);
  group.broadcast(all);
  std::vector<std::string> messages;
  for (std::span<const std::byte> rest(all); rest.size() >= sizeof length;) {
    std::memcpy(&length, rest.data(), sizeof length);
    const auto text = rest.subspan(sizeof length, length);
    messages.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
    rest = rest.subspan(sizeof length + length);
  }
  return messages;
}

void run_ranks(int size, const std::function<void(Communicator&)>& work) {
  Table table(size);
  side_by_side(static_cast<std::size_t>(size), [&](std::size_t rank) {
    try {
      ThreadRank communicator(table, static_cast<int>(rank));
      work(communicator);
    } catch (const RankEnded&) {  // the failed rank reports the reason
    } catch (...) {
      table.meeting.fail();
      throw;
    }
    table.meeting.end();
  });
}

}  // namespace nmt
