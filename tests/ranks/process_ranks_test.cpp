#include "ranks/process_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "common/error.h"
#include "ranks/joined_ranks.h"
#include "ranks/mail_transport.h"
#include "tensor/communicator.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class T>
Tensor tensor_of(std::vector<T>& elements) {
  return {1, std::ssize(elements), dtype_of<T>, elements.data(), std::make_shared<int>()};
}

/// Terms whose order of addition shows in the last bits.
template <class T>
std::vector<T> terms(int rank, std::size_t count) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = T(1) / static_cast<T>(3 + 10 * rank) + static_cast<T>(1e-4) * static_cast<T>(i % 17);
  return x;
}

template <class T>
void expect_sums_in_order(int ranks, std::size_t count) {
  run_processes(ranks, [&](ProcessRanks& communicator) {
    std::vector<T> x = terms<T>(communicator.rank(), count);
    communicator.all_reduce(tensor_of(x));
    communicator.finish();
    std::vector<T> sums = terms<T>(0, count);
    for (int rank = 1; rank < ranks; ++rank) {
      const std::vector<T> other = terms<T>(rank, count);
      for (std::size_t i = 0; i < count; ++i) sums[i] += other[i];
    }
    EXPECT_TRUE(x == sums);
    communicator.leave();
  });
}

TEST(ProcessRanks, SumInTheirOrder) {
  for (const int ranks : {2, 3, 5}) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 5000U}) {
      SCOPED_TRACE(fmt::format("{} of {}", count, ranks));
      expect_sums_in_order<float>(ranks, count);
      expect_sums_in_order<double>(ranks, count);
    }
  }
}

/// Returns what ranks that are threads have after reduce_scatter, without the parts of others, and after
/// all_gather.
std::vector<std::vector<float>> by_threads(int ranks, std::size_t count, DType travel) {
  std::vector<std::vector<float>> all(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& communicator) {
    std::vector<float>& x = all[static_cast<std::size_t>(communicator.rank())];
    x = terms<float>(communicator.rank(), count);
    communicator.reduce_scatter(tensor_of(x), travel);
    communicator.all_gather(tensor_of(x));
    communicator.finish();
  });
  return all;
}

TEST(ProcessRanks, ScatterAndGatherAsThreadsDo) {
  for (const DType travel : {DType::f32, DType::bf16}) {
    for (const std::size_t count : {0U, 1U, 100U, 5000U}) {
      const auto expected = by_threads(3, count, travel);
      run_processes(3, [&](ProcessRanks& communicator) {
        std::vector<float> x = terms<float>(communicator.rank(), count);
        communicator.reduce_scatter(tensor_of(x), travel);
        communicator.all_gather(tensor_of(x));
        communicator.finish();
        EXPECT_TRUE(x == expected[static_cast<std::size_t>(communicator.rank())]);
        communicator.leave();
      });
    }
  }
}

TEST(ProcessRanks, GatherOnRankZero) {
  run_processes(3, [](ProcessRanks& communicator) {
    const std::vector<char> own(static_cast<std::size_t>(communicator.rank()),
                                static_cast<char>('a' + communicator.rank()));
    std::string all;
    for (const std::byte byte : communicator.gather(std::as_bytes(std::span(own))))
      all += static_cast<char>(byte);
    EXPECT_EQ(all, communicator.rank() == 0 ? "bcc" : "");
    communicator.leave();
  });
}

TEST(ProcessRanks, SumWhileTheyGoOn) {
  run_processes(3, [](ProcessRanks& communicator) {
    std::vector<std::vector<double>> parts(20, std::vector<double>(100, communicator.rank()));
    for (std::vector<double>& part : parts) communicator.all_reduce(tensor_of(part));
    communicator.finish();
    for (const std::vector<double>& part : parts) EXPECT_EQ(part, std::vector<double>(100, 3));
  });
}

TEST(ProcessRanks, HearRankZeroWhichDoesNotWait) {
  run_processes(3, [](ProcessRanks& communicator) {
    for (int call = 0; call < 50; ++call) {
      std::array<int, 2> message = {communicator.rank() + 7 * call, communicator.rank()};
      communicator.broadcast(std::as_writable_bytes(std::span(message)));
      ASSERT_EQ(message, (std::array{7 * call, 0}));
    }
    communicator.leave();
  });
}

TEST(ProcessRanks, ShareWhatEachSays) {
  run_processes(3, [](ProcessRanks& communicator) {
    const std::string own(static_cast<std::size_t>(1000 * communicator.rank()), 'x');
    const std::vector<std::string> all = all_gather_text(communicator, own);
    EXPECT_EQ(all, (std::vector<std::string>{"", std::string(1000, 'x'), std::string(2000, 'x')}));
    communicator.leave();
  });
}

TEST(ProcessRanks, NobodyWaitsForWhatIsAbandoned) {
  run_processes(2, [](ProcessRanks& communicator) {
    if (communicator.rank() > 0) return;
    const auto memory = std::make_shared<std::vector<double>>(10);
    communicator.all_reduce({1, 10, DType::f64, memory->data(), memory});
    EXPECT_GT(memory.use_count(), 1);
    communicator.abandon();
    EXPECT_EQ(memory.use_count(), 1);
  });
}

TEST(ProcessRanks, ThrowWhatTheTransportThrows) {
  const auto work = [](ProcessRanks& communicator) {
    if (communicator.rank() < 1) return;
    std::vector<double> x(10);
    communicator.all_reduce(tensor_of(x));
    EXPECT_THAT([&] { communicator.finish(); }, ThrowsMessage<Error>(HasSubstr("broken")));
    EXPECT_THAT([&] { all_gather_text(communicator, ""); }, ThrowsMessage<Error>(HasSubstr("broken")));
  };
  run_processes(2, work, 1);
  EXPECT_THAT([] { ProcessRanks([]() -> std::unique_ptr<Transport> { throw Error("no transport"); }); },
              ThrowsMessage<Error>(HasSubstr("no transport")));
}

TEST(Agreement, TellsTheFirstThatDiffers) {
  const std::vector<std::string> names = {"rank 0", "rank 1", "rank 2"};
  run_processes(3, [&](ProcessRanks& communicator) {
    RunFacts facts = {{"dropout", "0.1"}, {"the text", "a of b"}};
    check_agreement(communicator, names, facts);
    if (communicator.rank() > 0) facts[1].second = "another";
    EXPECT_THAT(
        [&] { check_agreement(communicator, names, facts); },
        ThrowsMessage<UsageError>(HasSubstr("rank 1 differs from rank 0: the text is another there, and "
                                            "a of b here")));
    facts[1].second = "a of b";
    if (communicator.rank() == 2) facts.emplace_back("seed", "7");
    EXPECT_THAT(
        [&] { check_agreement(communicator, names, facts); },
        ThrowsMessage<UsageError>(HasSubstr("rank 2 differs from rank 0: seed is 7 there, and not set")));
    communicator.leave();
  });
}

}  // namespace
}  // namespace nmt
