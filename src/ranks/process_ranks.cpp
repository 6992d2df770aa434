#include "ranks/process_ranks.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <type_traits>

#include "tensor/communicator.h"
#include "tensor/dtype.h"

namespace nmt {
namespace {

/// Waits, longer the longer nothing happens. A sleeping thread is woken in time even on a busy core; a thread
/// that yields the core waits until all others there have had their turns.
class PollingBackoff {
 public:
  void wait() {
    constexpr auto kAwake = std::chrono::microseconds(50), kMost = std::chrono::microseconds(500);
    const auto waited = std::chrono::steady_clock::now() - begin_;
    if (waited > kAwake) std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(waited / 8, kMost));
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Writes the sums of the elements of all ranks, located at `terms`, to `sum`, which may be one of the terms.
template <class T, class Travel>
void add_up(std::span<T> sum, const std::vector<const Travel*>& terms) {
  const auto counted = [](Travel x) { return arrived<T>(x); };
  sum_over_ranks<T>(terms, sum.size(), counted, [&](std::span<const T> sums, std::size_t first) {
    std::ranges::copy(sums, sum.begin() + static_cast<std::ptrdiff_t>(first));
  });
}

/// Returns the elements of x.
template <class T>
std::span<T> elements_of(const Tensor& x) {
  return {x.data<T>(), static_cast<std::size_t>(x.size())};
}

template <class T>
std::span<T> slice(std::span<T> all, const Part& part) {
  return all.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.size));
}

}  // namespace

ProcessRanks::ProcessRanks(const std::function<std::unique_ptr<Transport>()>& connect)
    : thread_([this, &connect] { serve(connect); }) {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [this] { return is_connected_ || failure_; });
  if (!failure_) return;
  lock.unlock();
  thread_.join();
  std::rethrow_exception(failure_);
}

ProcessRanks::~ProcessRanks() {
  abandon();
}

void ProcessRanks::abandon() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(guard_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
  const std::lock_guard lock(guard_);
  tasks_.clear();
}

void ProcessRanks::leave() {
  run([this] { transport_->leave(); });
  abandon();
}

void ProcessRanks::serve(const std::function<std::unique_ptr<Transport>()>& connect) {
  try {
    transport_ = connect();
    rank_ = transport_->rank();
    size_ = transport_->size();
    {
      const std::lock_guard lock(guard_);
      is_connected_ = true;
      changed_.notify_all();
    }
    work();
  } catch (...) {  // RankEnded: the connection was abandoned
    const std::lock_guard lock(guard_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
  transport_.reset();
}

void ProcessRanks::work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(guard_);
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) throw RankEnded();
      task = tasks_.front();
    }
    task();
    task = nullptr;
    const std::lock_guard lock(guard_);
    tasks_.pop_front();
    ++done_;
    changed_.notify_all();
  }
}

std::int64_t ProcessRanks::post(Task task) {
  const std::lock_guard lock(guard_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  return ++posted_;
}

void ProcessRanks::wait(std::int64_t number) {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [&] { return done_ >= number || failure_; });
  if (done_ < number) std::rethrow_exception(failure_);
}

void ProcessRanks::exchange(const std::vector<Transport::Outgoing>& to,
                            const std::vector<Transport::Incoming>& from) {
  transport_->begin(to, from);
  for (PollingBackoff backoff; !transport_->done(); backoff.wait()) {
    if (stopping_) throw RankEnded();
  }
}

void ProcessRanks::give(Transport::Outgoing own, const std::vector<Transport::Incoming>& from) {
  exchange(std::vector<Transport::Outgoing>(from.size(), own), from);
}

template <class Travel>
std::vector<const Travel*> ProcessRanks::swap_parts(std::span<const Travel> all) {
  const auto rank = static_cast<std::size_t>(rank_), ranks = static_cast<std::size_t>(size_);
  const auto part = [&](std::size_t r) {
    return slice(all, part_of(std::ssize(all), static_cast<int>(r), size_));
  };
  const std::size_t bytes = part(rank).size_bytes();
  parts_.resize(bytes * ranks);
  std::vector<Transport::Outgoing> to(ranks);
  std::vector<Transport::Incoming> from(ranks);
  std::vector<const Travel*> terms(ranks, part(rank).data());
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    to[r] = std::as_bytes(part(r));
    from[r] = std::span(parts_).subspan(bytes * r, bytes);
    terms[r] = reinterpret_cast<const Travel*>(from[r].data());
  }
  exchange(to, from);
  return terms;
}

template <class T, class Travel>
void ProcessRanks::scatter_sum(const Tensor& x) {
  const std::span<T> all = elements_of<T>(x);
  const std::span<T> own = slice(all, part_of(x.size(), rank_, size_));
  if constexpr (std::is_same_v<T, Travel>) {
    add_up<T, T>(own, swap_parts<T>(all));
  } else {
    std::vector<Travel> rounded(all.size());
    std::transform(all.begin(), all.end(), rounded.begin(),
                   [](T element) { return departed<Travel>(element); });
    add_up<T, Travel>(own, swap_parts<Travel>(rounded));
  }
}

void ProcessRanks::scatter_sum(const Tensor& x, DType travel) {
  const bool rounded = travel != x.dtype();
  if (x.dtype() == DType::f64) {
    rounded ? scatter_sum<double, BFloat16>(x) : scatter_sum<double, double>(x);
  } else {
    rounded ? scatter_sum<float, BFloat16>(x) : scatter_sum<float, float>(x);
  }
}

void ProcessRanks::gather_parts(const Tensor& x) {
  const auto part = [&](int rank) {
    const auto [begin, size] = part_of(x.size(), rank, size_);
    const Tensor slice = x.reshape(1, x.size()).slice_columns(begin, size);
    return std::span(static_cast<std::byte*>(slice.raw()), slice.bytes());
  };
  std::vector<Transport::Incoming> from(static_cast<std::size_t>(size_));
  for (int rank = 0; rank < size_; ++rank) from[static_cast<std::size_t>(rank)] = part(rank);
  give(part(rank_), from);
}

void ProcessRanks::all_reduce(const Tensor& x) {
  post([this, x] {
    scatter_sum(x, x.dtype());
    gather_parts(x);
  });
}

void ProcessRanks::reduce_scatter(const Tensor& x, DType travel) {
  post([this, x, travel] { scatter_sum(x, travel); });
}

void ProcessRanks::all_gather(const Tensor& x) {
  post([this, x] { gather_parts(x); });
}

void ProcessRanks::finish() {
  wait(posted_);
}

void ProcessRanks::broadcast(std::span<std::byte> message) {
  if (rank_ > 0) {
    run([this, message] {
      std::vector<Transport::Incoming> from(static_cast<std::size_t>(size_));
      from[0] = message;
      exchange(std::vector<Transport::Outgoing>(from.size()), from);
    });
    return;
  }
  post([this, own = std::vector<std::byte>(message.begin(), message.end())] {
    give(own, std::vector<Transport::Incoming>(static_cast<std::size_t>(size_)));
  });
}

std::vector<std::byte> ProcessRanks::collect(std::span<const std::byte> message) {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<std::uint64_t> lengths(ranks);
  std::vector<Transport::Outgoing> to(ranks);
  std::vector<Transport::Incoming> from(ranks);
  const std::uint64_t length = message.size();
  to[0] = std::as_bytes(std::span(&length, 1));
  for (std::size_t r = 0; r < ranks && rank_ == 0; ++r)
    from[r] = std::as_writable_bytes(std::span(&lengths[r], 1));
  exchange(to, from);
  to[0] = message;
  if (rank_ == 0) lengths[0] = length;
  std::vector<std::byte> all(std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}));
  std::span<std::byte> rest(all);
  for (std::size_t r = 0; r < ranks; ++r) {
    from[r] = rest.first(lengths[r]);
    rest = rest.subspan(lengths[r]);
  }
  exchange(to, from);
  if (rank_ == 0) std::ranges::copy(message, all.begin());
  return all;
}

std::vector<std::byte> ProcessRanks::gather(std::span<const std::byte> message) {
  std::vector<std::byte> all;
  run([&] { all = collect(message); });
  return all;
}

}  // namespace nmt
