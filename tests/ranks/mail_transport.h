// A transport between ranks that are threads, instead of MPI.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/process/side_by_side.h"
#include "ranks/process_ranks.h"

namespace nmt {

/// The messages in transit between ranks that are threads.
class Post {
 public:
  using Address = std::pair<int, int>;  // from, to

  void send(Address address, Transport::Outgoing message) {
    const std::lock_guard lock(guard_);
    letters_[address].emplace_back(message.begin(), message.end());
  }
  /// Receives a message; returns false if none has arrived.
  bool receive(Address address, Transport::Incoming to) {
    const std::lock_guard lock(guard_);
    std::deque<std::vector<std::byte>>& letters = letters_[address];
    if (letters.empty()) return false;
    EXPECT_EQ(letters.front().size(), to.size());
    std::ranges::copy(letters.front(), to.begin());
    letters.pop_front();
    return true;
  }

 private:
  std::mutex guard_;
  std::map<Address, std::deque<std::vector<std::byte>>> letters_;
};

/// A transport between threads, which may fail at its n-th exchange.
class MailTransport final : public Transport {
 public:
  MailTransport(Post& post, int rank, int size, int breaks_at = 0)
      : post_(post), rank_(rank), size_(size), breaks_at_(breaks_at), owner_(std::this_thread::get_id()) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void begin(const std::vector<Outgoing>& to, const std::vector<Incoming>& from) override {
    EXPECT_EQ(std::this_thread::get_id(), owner_);
    EXPECT_TRUE(waiting_.empty());
    if (++exchanges_ == breaks_at_) throw Error("the transport is broken");
    for (int rank = 0; rank < size_; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      if (rank == rank_) continue;
      if (!to[i].empty()) post_.send({rank_, rank}, to[i]);
      if (!from[i].empty()) waiting_.emplace_back(rank, from[i]);
    }
  }
  bool done() override {
    std::erase_if(waiting_, [&](const auto& letter) {
      return post_.receive({letter.first, rank_}, letter.second);
    });
    return waiting_.empty();
  }
  void leave() override { EXPECT_TRUE(waiting_.empty()); }

 private:
  Post& post_;
  int rank_, size_, breaks_at_, exchanges_ = 0;
  std::thread::id owner_;
  std::vector<std::pair<int, Incoming>> waiting_;
};

/// Calls work(ranks) on a thread per rank; the last one's transport may fail.
inline void run_processes(int size, const std::function<void(ProcessRanks&)>& work, int breaks_at = 0) {
  Post post;
  side_by_side(static_cast<std::size_t>(size), [&](std::size_t i) {
    const int rank = static_cast<int>(i);
    ProcessRanks ranks(
        [&] { return std::make_unique<MailTransport>(post, rank, size, rank == size - 1 ? breaks_at : 0); });
    EXPECT_EQ(ranks.rank(), rank);
    EXPECT_EQ(ranks.size(), size);
    work(ranks);
  });
}

}  // namespace nmt
