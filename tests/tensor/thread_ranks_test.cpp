#include "tensor/thread_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ThrowsMessage;

template <class T>
Tensor tensor_of(std::vector<T>& elements) {
  return {1, std::ssize(elements), dtype_of<T>, elements.data(), std::make_shared<int>()};
}

/// What all ranks have after a sum of what `element` makes of the rank and the place.
template <class T, class Element>
std::vector<std::vector<T>> sums(int ranks, std::size_t count, const Element& element) {
  std::vector<std::vector<T>> vectors(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& communicator) {
    std::vector<T>& own = vectors[static_cast<std::size_t>(communicator.rank())];
    for (std::size_t i = 0; i < count; ++i) own.push_back(element(communicator.rank(), i));
    communicator.all_reduce(tensor_of(own));
  });
  return vectors;
}

TEST(ThreadRanks, SumInTheirOrder) {
  // Terms of which the order shows in the last bits.
  const auto element = [](int rank, std::size_t i) {
    return 1.0F / static_cast<float>(3 + 10 * rank) + 1e-4F * static_cast<float>(i % 17);
  };
  for (const std::size_t count : {0U, 1U, 5U, 5000U}) {
    const auto vectors = sums<float>(3, count, element);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(vectors[0][i], (element(0, i) + element(1, i)) + element(2, i));
    }
    EXPECT_EQ(vectors[1], vectors[0]);
    EXPECT_EQ(vectors[2], vectors[0]);
  }
}

TEST(ThreadRanks, SumInDoublePrecision) {
  const auto vectors =
      sums<double>(2, 3, [](int rank, std::size_t i) { return rank == 0 ? 1.0 : 1e-15 * i; });
  EXPECT_EQ(vectors[1][2], 1 + 2e-15);
  EXPECT_EQ(vectors[0], vectors[1]);
}

TEST(ThreadRanks, HearRankZero) {
  run_ranks(3, [](Communicator& communicator) {
    for (int call = 0; call < 100; ++call) {
      std::array<int, 2> message = {communicator.rank() + 7 * call, communicator.rank()};
      communicator.broadcast(std::as_writable_bytes(std::span(message)));
      ASSERT_EQ(message, (std::array{7 * call, 0}));
    }
    EXPECT_EQ(communicator.size(), 3);
  });
}

TEST(ThreadRanks, DoNotWaitForOneThatFails) {
  for (int failing = 0; failing < 3; ++failing) {
    const auto work = [&](Communicator& communicator) {
      if (communicator.rank() == failing) throw Error("rank {} fails", failing);
      std::vector<double> x(10);
      communicator.all_reduce(tensor_of(x));
      ADD_FAILURE() << "a sum of two ranks out of three";
    };
    EXPECT_THAT([&] { run_ranks(3, work); }, ThrowsMessage<Error>(fmt::format("rank {} fails", failing)));
  }
}

TEST(ThreadRanks, ARankAloneHasItsOwnSum) {
  const auto vectors = sums<double>(1, 4, [](int, std::size_t i) { return 0.1 * static_cast<double>(i); });
  EXPECT_EQ(vectors[0][3], 0.1 * 3.0);
}

}  // namespace
}  // namespace nmt
