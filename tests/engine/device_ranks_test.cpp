#include "engine/device_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::string> kProcesses = {"rank 0", "rank 1", "rank 2"};

GpuClaim all_of(std::vector<std::string> gpus) {
  return {std::move(gpus), false};
}
GpuClaim one_of(std::vector<std::string> gpus) {
  return {std::move(gpus), true};
}
std::vector<Part> shares(const std::vector<GpuClaim>& claims) {
  return partition_gpus(claims, kProcesses);
}

TEST(GpuPartition, ProcessesThatSeeOthersTakeAllOfTheirs) {
  EXPECT_THAT(shares({all_of({"a", "b"}), all_of({"c"})}), ElementsAre(Part{0, 2}, Part{0, 1}));
  EXPECT_THAT(shares({one_of({"a"}), one_of({"b"})}), ElementsAre(Part{0, 1}, Part{0, 1}));
}

TEST(GpuPartition, ThoseThatSeeTheSamePartitionThem) {
  EXPECT_THAT(shares({all_of({"a", "b", "c", "d", "e"}), all_of({"f"}), all_of({"a", "b", "c", "d", "e"})}),
              ElementsAre(Part{0, 2}, Part{0, 1}, Part{2, 3}));
  EXPECT_THAT(shares({one_of({"a", "b", "c", "d"}), one_of({"a", "b", "c", "d"})}),
              ElementsAre(Part{0, 1}, Part{1, 1}));
}

TEST(GpuPartition, TheCpuIsThereForAll) {
  EXPECT_THAT(shares({all_of({}), all_of({}), all_of({"a"})}),
              ElementsAre(Part{0, 0}, Part{0, 0}, Part{0, 1}));
}

TEST(GpuPartition, MoreProcessesThanGpusAreRefused) {
  for (const bool alone : {false, true}) {
    EXPECT_THAT(
        [&] {
          shares(std::vector<GpuClaim>(3, {{"a", "b"}, alone}));
        },
        ThrowsMessage<UsageError>(HasSubstr("3 processes are to share 2 GPUs: start no more of them on a "
                                            "machine than it has GPUs")));
  }
}

TEST(GpuPartition, GpusThatSomeShareAreRefused) {
  EXPECT_THAT(
      [] {
        shares({all_of({"c"}), all_of({"a", "b"}), all_of({"b"})});
      },
      ThrowsMessage<UsageError>(HasSubstr("rank 2 and rank 1 share some GPUs, but not all")));
}

}  // namespace
}  // namespace nmt
