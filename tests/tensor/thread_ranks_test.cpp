#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "common/error.h"
#include "tensor/communicator.h"

namespace nmt {
namespace {

using ::testing::ThrowsMessage;

template <class T>
Tensor tensor_of(std::vector<T>& elements) {
  return {1, std::ssize(elements), dtype_of<T>, elements.data(), std::make_shared<int>()};
}

/// Returns the sums over all ranks of `element`, a function of the rank and the position.
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
  // Terms whose order of addition shows in the last bits.
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

TEST(ThreadRanks, PartsCoverABufferOnce) {
  for (const int ranks : {1, 2, 3, 7, 64}) {
    for (const std::int64_t elements : {0, 1, 64, 65, 500, 64 * 64, 100'000}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Part part = part_of(elements, rank, ranks);
        EXPECT_EQ(part.begin, next);
        EXPECT_TRUE(part.begin % kPartAlignment == 0 || part.size == 0);
        next += part.size;
      }
      EXPECT_EQ(next, elements);
    }
  }
  EXPECT_EQ(part_of(6 * kPartAlignment, 1, 3), (Part{2 * kPartAlignment, 2 * kPartAlignment}));
}

// Like the sums of all_reduce, but each rank gets its part.
TEST(ThreadRanks, ScatterSums) {
  const auto element = [](int rank, std::size_t i) {
    return 1.0F / static_cast<float>(3 + 10 * rank) + 1e-4F * static_cast<float>(i % 17);
  };
  for (const std::size_t count : {0U, 5U, 100U, 5000U}) {
    const auto whole = sums<float>(3, count, element);
    run_ranks(3, [&](Communicator& communicator) {
      std::vector<float> own;
      for (std::size_t i = 0; i < count; ++i) own.push_back(element(communicator.rank(), i));
      communicator.reduce_scatter(tensor_of(own), DType::f32);
      const auto [begin, size] = part_of(std::ssize(own), communicator.rank(), 3);
      for (std::int64_t i = begin; i < begin + size; ++i)
        EXPECT_EQ(own[static_cast<std::size_t>(i)], whole[0][static_cast<std::size_t>(i)]);
    });
  }
}

TEST(ThreadRanks, RoundWhatTravelsInBf16OnceAndAddItUpInF32) {
  run_ranks(3, [&](Communicator& communicator) {
    // In bf16, which has 8 significant bits: 1, 1/128, and 2^-20, which remains separate.
    std::vector<float> x = {
        std::array{1.001F, 1.001F / 128, 0x1p-20F}.at(static_cast<std::size_t>(communicator.rank()))};
    communicator.reduce_scatter(tensor_of(x), DType::bf16);
    std::vector<double> y = {1.001};
    communicator.reduce_scatter(tensor_of(y), DType::bf16);
    if (communicator.rank() > 0) return;  // their parts are empty
    EXPECT_EQ(x[0], 1 + 1.0F / 128 + 0x1p-20F);
    EXPECT_EQ(y[0], 3.0);
  });
}

TEST(ThreadRanks, GatherTheirParts) {
  for (const std::size_t count : {1U, 64U, 500U}) {
    run_ranks(3, [&](Communicator& communicator) {
      std::vector<BFloat16> x(count, BFloat16(-1));
      const auto [begin, size] = part_of(std::ssize(x), communicator.rank(), 3);
      for (std::int64_t i = begin; i < begin + size; ++i)
        x[static_cast<std::size_t>(i)] = static_cast<float>(i % 100);
      communicator.all_gather(tensor_of(x));
      communicator.finish();
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(static_cast<float>(x[i]), i % 100);
    });
  }
}

TEST(ThreadRanks, RankZeroGathersMessages) {
  const auto gathered = [](Communicator& communicator) {
    const std::vector<std::byte> own(static_cast<std::size_t>(communicator.rank() + 1),
                                     static_cast<std::byte>(communicator.rank()));
    std::vector<int> all;
    for (const std::byte byte : communicator.gather(own)) all.push_back(static_cast<int>(byte));
    return all;
  };
  run_ranks(3, [&](Communicator& communicator) {
    EXPECT_EQ(gathered(communicator),
              communicator.rank() == 0 ? (std::vector{0, 1, 1, 2, 2, 2}) : std::vector<int>());
  });
  SingleRank alone;
  EXPECT_EQ(gathered(alone), std::vector{0});
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

TEST(ThreadRanks, ShareWhatEachSays) {
  run_ranks(3, [](Communicator& communicator) {
    for (int call = 0; call < 100; ++call) {
      const std::string own(static_cast<std::size_t>(communicator.rank()),
                            static_cast<char>('a' + call % 26));
      const std::vector<std::string> all = all_gather_text(communicator, own);
      ASSERT_EQ(all.size(), 3U);
      EXPECT_EQ(all[0], "");
      EXPECT_EQ(all[2], std::string(2, static_cast<char>('a' + call % 26)));
    }
  });
}

TEST(ThreadRanks, MeetInTheirProcess) {
  std::atomic<int> arrived = 0;
  run_ranks(3, [&](Communicator& communicator) {
    for (int meeting = 1; meeting <= 100; ++meeting) {
      ++arrived;
      communicator.meet_in_process();
      EXPECT_GE(arrived, 3 * meeting);
      communicator.meet_in_process();
    }
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

TEST(ThreadRanks, HearOfAFailureHoweverLate) {
  bool heard = false;
  const auto work = [&](Communicator& communicator) {
    if (communicator.rank() == 1) throw Error("rank 1 fails");
    EXPECT_THROW(communicator.gather({}), RankEnded);
    communicator.when_failed([&] { heard = true; });
  };
  EXPECT_THROW(run_ranks(2, work), Error);
  EXPECT_TRUE(heard);
}

TEST(ThreadRanks, ARankAloneHasItsOwnSum) {
  const auto vectors = sums<double>(1, 4, [](int, std::size_t i) { return 0.1 * static_cast<double>(i); });
  EXPECT_EQ(vectors[0][3], 0.1 * 3.0);
}

}  // namespace
}  // namespace nmt
