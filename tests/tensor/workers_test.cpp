#include "tensor/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "backend/devices.h"

namespace nmt {
namespace {

class WorkersTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .threads = 3});
  Workers workers_{*backend_};
};

TEST_F(WorkersTest, EveryPieceIsDoneOnce) {
  for (const std::size_t pieces : {0, 1, 2, 3, 4, 100}) {
    std::vector<std::atomic<int>> calls(pieces);
    workers_.run(pieces, [&](std::size_t piece, Worker&) { ++calls[piece]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST_F(WorkersTest, WorkAtTheSameTimeEachWithABackendAndAnArenaOfItsOwn) {
  ASSERT_EQ(workers_.count(), 3);
  std::mutex guard;
  std::set<Backend*> backends;
  std::set<Arena*> arenas;
  std::atomic<int> here = 0;
  workers_.run(3, [&](std::size_t, Worker& worker) {
    ++here;
    while (here < 3) std::this_thread::yield();
    const std::lock_guard lock(guard);
    backends.insert(&worker.backend());
    arenas.insert(&worker.arena());
  });
  EXPECT_EQ(backends.size(), 3U);
  EXPECT_EQ(arenas.size(), 3U);
}

TEST_F(WorkersTest, FewPiecesGetTheWholeDevice) {
  workers_.run(2, [&](std::size_t, Worker& worker) {
    EXPECT_EQ(&worker, &workers_.whole());
    EXPECT_EQ(&worker.backend(), backend_.get());
  });
}

TEST_F(WorkersTest, AnExceptionEndsTheWork) {
  std::atomic<int> begun = 0;
  const auto work = [&](std::size_t, Worker&) {
    ++begun;
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(workers_.run(100, work), std::runtime_error);
  EXPECT_LE(begun, 3);
  EXPECT_THROW(workers_.run(1, work), std::runtime_error);
}

class WorkersOfDevices : public ::testing::TestWithParam<std::string> {};

// Streams of a GPU run in any order unless one waits for another.
TEST_P(WorkersOfDevices, SeeWhatWasAskedForBeforeAndAreSeenAfter) {
  constexpr std::int64_t kPieces = 6, kColumns = 50;
  const auto backend = testing::open_device(GetParam(), 3);
  Workers workers(*backend);
  ASSERT_EQ(workers.count(), 3);
  const Tensor shared = workers.whole().arena().allocate(1, kColumns, DType::f32);
  const Tensor doubled = workers.whole().arena().allocate(kPieces, kColumns, DType::f32);
  const Tensor seen = workers.whole().arena().allocate(kPieces, kColumns, DType::f32);
  for (int round = 1; round <= 10; ++round) {
    upload_reals(*backend, shared, std::vector<double>(kColumns, round));
    backend->add(shared, shared);
    workers.run(kPieces, [&](std::size_t piece, Worker& worker) {
      const Tensor own = doubled.slice_rows(static_cast<std::int64_t>(piece), 1);
      worker.backend().copy(own, shared);
      worker.backend().add(own, shared);
    });
    backend->copy(seen, doubled);
    EXPECT_EQ(download_reals(*backend, seen), std::vector<double>(kPieces * kColumns, 4 * round));
  }
}

TEST_P(WorkersOfDevices, HaveDoneWhatTheyWereAskedForWhenTheyFail) {
  constexpr std::int64_t kColumns = 50;
  const auto backend = testing::open_device(GetParam(), 3);
  Workers workers(*backend);
  const Tensor out = workers.whole().arena().allocate(3, kColumns, DType::f32),
               seen = workers.whole().arena().allocate(3, kColumns, DType::f32);
  for (int round = 1; round <= 10; ++round) {
    upload_reals(*backend, out, std::vector<double>(3 * kColumns, round));
    std::vector<char> has_begun(3);
    const auto work = [&](std::size_t piece, Worker& worker) {
      has_begun[piece] = 1;
      const Tensor own = out.slice_rows(static_cast<std::int64_t>(piece), 1);
      worker.backend().add(own, own);
      throw std::runtime_error("enough");
    };
    EXPECT_THROW(workers.run(3, work), std::runtime_error);
    backend->copy(seen, out);
    const std::vector<double> found = download_reals(*backend, seen);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i], has_begun[i / kColumns] != 0 ? 2 * round : round);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, WorkersOfDevices, ::testing::ValuesIn(testing::devices_with_workers()),
                         [](const auto& device) { return device.param; });

TEST(Workers, OneThreadWorksAlone) {
  const auto backend = open_backend({.device = "cpu", .threads = 1});
  Workers workers(*backend);
  EXPECT_EQ(workers.count(), 1);
  workers.run(5, [&](std::size_t, Worker& used) { EXPECT_EQ(&used.backend(), backend.get()); });
}

}  // namespace
}  // namespace nmt
