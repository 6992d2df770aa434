#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "common/process/resources.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

/// A folder with the system files that describe memory.
class FakeSystem {
 public:
  explicit FakeSystem(const std::string& groups) {
    write("proc/meminfo",
          "MemTotal:       9000000 kB\nMemFree:         100000 kB\nMemAvailable:    8000 kB\n");
    write("proc/self/cgroup", groups);
  }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    folder_.write(name, text);
  }
  void write_group(const std::string& name, const std::string& limit, std::size_t usage,
                   const std::string& statistics = "") {
    const std::string folder = "sys/fs/cgroup" + name + "/";
    write(folder + "memory.max", limit + "\n");
    write(folder + "memory.current", std::to_string(usage) + "\n");
    if (!statistics.empty()) write(folder + "memory.stat", statistics);
  }
  void write_old_group(const std::string& name, std::size_t limit, std::size_t usage) {
    const std::string folder = "sys/fs/cgroup/memory" + name + "/";
    write(folder + "memory.limit_in_bytes", std::to_string(limit) + "\n");
    write(folder + "memory.usage_in_bytes", std::to_string(usage) + "\n");
    write(folder + "memory.stat", "inactive_file 77\ntotal_inactive_file 3000\ntotal_active_file 500\n");
  }
  std::size_t available() const { return available_bytes(folder_ / ""); }

 private:
  TemporaryFolder folder_;
};

constexpr std::size_t kMachine = 8000 << 10;

TEST(AvailableMemory, IsThatOfTheMachineWithoutControlGroups) {
  EXPECT_EQ(FakeSystem("").available(), kMachine);
  EXPECT_EQ(FakeSystem("0::/\n").available(), kMachine);
  EXPECT_EQ(FakeSystem("no colons\n3:one\n").available(), kMachine);
}

TEST(AvailableMemory, IsWhatTheLimitOfTheGroupLeaves) {
  FakeSystem system("0::/user/run\n");
  system.write_group("/user/run", "1000000", 400000);
  EXPECT_EQ(system.available(), 600000U);
  system.write_group("/user/run", "1000000", 400000, "anon 5\ninactive_file 100000\nactive_file 20000\n");
  EXPECT_EQ(system.available(), 720000U) << "files kept in memory do not count";
  system.write_group("/user/run", "1000000", 1200000, "anon 5\n");
  EXPECT_EQ(system.available(), 0U);
  system.write_group("/user/run", "max", 400000);
  EXPECT_EQ(system.available(), kMachine);
  system.write_group("/user/run", "1000000000000", 400000);
  EXPECT_EQ(system.available(), kMachine) << "the machine has less";
}

TEST(AvailableMemory, IsLimitedByTheGroupsAroundToo) {
  FakeSystem system("0::/user/inner/run\n");
  system.write_group("/user/inner/run", "max", 1000);
  system.write_group("/user/inner", "900000", 1000);
  system.write_group("/user", "500000", 100000);
  EXPECT_EQ(system.available(), 400000U);
}

// In a container, the folder of its group may be the root, whatever the group's name outside.
TEST(AvailableMemory, IsLimitedInAContainer) {
  FakeSystem system("0::/outside/name\n");
  system.write_group("", "700000", 100000);
  EXPECT_EQ(system.available(), 600000U);
}

TEST(AvailableMemory, IsWhatTheLimitsOfTheProcessLeave) {
  FakeSystem system("");
  constexpr std::size_t kMany = std::size_t{1} << 50, kLeft = 5000 << 10, kLess = 3000 << 10;
  system.write("proc/self/status", fmt::format("Name:\tnmt\nVmSize:\t{} kB\nVmData:\t{} kB\n",
                                               (kMany - kLeft) >> 10, (kMany - kLess) >> 10));
  EXPECT_EQ(system.available(), kMachine);
  for (const auto& [resource, left] : {std::pair{RLIMIT_AS, kLeft}, {RLIMIT_DATA, kLess}}) {
    rlimit before{};
    ASSERT_EQ(getrlimit(resource, &before), 0);
    const rlimit limit = {kMany, before.rlim_max};
    ASSERT_EQ(setrlimit(resource, &limit), 0);
    EXPECT_EQ(system.available(), left);
    ASSERT_EQ(setrlimit(resource, &before), 0);
  }
}

TEST(AddressSpaceDeathTest, IsRequiredOfTheLimits) {
#ifdef NMT_SANITIZED
  GTEST_SKIP() << "sanitizers need more address space than any limit";
#endif
  EXPECT_NO_THROW(require_address_space(std::size_t{1} << 30));
  const auto within_limit = [] {
    const rlimit limit = {std::size_t{1} << 30, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0) return;
    require_address_space(std::size_t{1} << 20);
    try {
      require_address_space(std::size_t{1} << 30);
    } catch (const std::bad_alloc&) {
      std::exit(0);
    }
  };
  EXPECT_EXIT(within_limit(), ::testing::ExitedWithCode(0), "");
}

TEST(AvailableMemory, IsLimitedByGroupsOfVersion1) {
  FakeSystem system("9:name=systemd:/\n5:cpu,memory:/user/run\n3:memoryless:/\n0::/\n");
  constexpr std::size_t kNone = 0x7FFFFFFFFFFFF000;
  system.write_old_group("", kNone, 50000);
  system.write_old_group("/user/run", 1000000, 400000);
  EXPECT_EQ(system.available(), 603500U);
  system.write_old_group("/user/run", kNone, 400000);
  EXPECT_EQ(system.available(), kMachine);
  system.write_old_group("/user", 80000, 40000);
  EXPECT_EQ(system.available(), 43500U);
}

/// In a process of its own, because the limits of the allocator stay.
TEST(FreedMemoryDeathTest, IsReturned) {
#ifdef NMT_SANITIZED
  GTEST_SKIP() << "the allocator of the sanitizer is another one";
#endif
  const auto work = [] {
    keep_little_freed_memory();
    std::size_t before = 0, after = 0;
    std::jthread([&] {
      std::vector<std::vector<char>> blocks;
      for (int i = 0; i < 4096; ++i) blocks.emplace_back(16384, 'x');  // 64 MiB
      before = resident_bytes();
      blocks.clear();
      after = resident_bytes();
    }).join();
    std::_Exit(before - after > (std::size_t{40} << 20) ? 0 : 1);
  };
  EXPECT_EXIT(work(), ::testing::ExitedWithCode(0), "");
}

TEST(FreedMemoryDeathTest, IsReturnedBetweenBlocksInUse) {
#ifdef NMT_SANITIZED
  GTEST_SKIP() << "the allocator of the sanitizer is another one";
#endif
  const auto work = [] {
    keep_little_freed_memory();
    std::vector<std::vector<char>> kept, freed;
    for (int i = 0; i < 64; ++i) {
      freed.emplace_back(1 << 20, 'x');
      kept.emplace_back(4096, 'x');
    }
    const std::size_t before = resident_bytes();
    freed.clear();
    return_freed_memory();
    std::_Exit(before - resident_bytes() > (std::size_t{40} << 20) ? 0 : 1);
  };
  EXPECT_EXIT(work(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace nmt
