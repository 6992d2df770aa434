#include "cli/common_options.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>

#include "common/error.h"
#include "common/log.h"

namespace nmt::cli {
namespace {

/// The log settings that these arguments give.
LogOptions log_options(const std::vector<std::string>& arguments) {
  LogOptions log;
  Options options("nmt try", "", "", "");
  add_log_options(options, log);
  options.parse(arguments);
  return log;
}

ComputeOptions compute_options(const std::vector<std::string>& arguments) {
  ComputeOptions compute;
  Options options("nmt try", "", "", "");
  add_compute_options(options, compute);
  options.parse(arguments);
  return compute;
}

/// What reaches stderr of an ordinary and a verbose message and a warning.
std::string messages() {
  testing::internal::CaptureStderr();
  log_verbose("verbose");
  log_info("info");
  log_warning("warning");
  return testing::internal::GetCapturedStderr();
}

TEST(LogOptions, SetLevelAndColour) {
  apply(log_options({"--quiet"}));
  EXPECT_EQ(messages(), "warning: warning\n");
  apply(log_options({"-v", "--color", "always"}));
  EXPECT_EQ(messages(), "verbose\ninfo\n\033[1;33mwarning: \033[0mwarning\n");
  apply(log_options({}));
  EXPECT_EQ(messages(), "info\nwarning: warning\n");
}

TEST(LogOptions, QuietAndVerboseExcludeEachOther) {
  EXPECT_THROW(apply(log_options({"--quiet", "--verbose"})), UsageError);
  EXPECT_NO_THROW(apply(log_options({"--quiet", "--verbose", "--no-quiet", "--no-verbose"})));
}

TEST(LogOptions, OpenTheLogFile) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "nmt_common_options_test.log";
  std::filesystem::remove(path);
  apply(log_options({"--log-file", path.string()}));
  messages();
  EXPECT_GT(std::filesystem::file_size(path), 0U);
  std::filesystem::remove(path);
}

TEST(LogOptions, StayOutOfTheResolvedConfiguration) {
  LogOptions log;
  ComputeOptions compute;
  Options options("nmt try", "", "", "");
  add_log_options(options, log);
  add_compute_options(options, compute);
  options.parse({"--quiet", "--log-file", "x", "--threads", "3"});
  EXPECT_EQ(options.resolved(), "threads: 3\nseed: 1\ndevice: auto\ncpu_isa: auto\n");
}

TEST(ComputeOptions, AreChecked) {
  const ComputeOptions compute = compute_options(
      {"--threads", "3", "--seed", "4294967295", "--device", "reference", "--cpu-isa", "avx2"});
  EXPECT_EQ(compute.threads, 3);
  EXPECT_EQ(compute.seed, 4294967295U);
  EXPECT_EQ(compute.device, "reference");
  EXPECT_EQ(compute.cpu_isa, "avx2");
  for (const char* bad : {"--threads=0", "--seed=4294967296", "--seed=-1", "--device=tpu", "--cpu-isa=sse"}) {
    EXPECT_THROW(compute_options({bad}), UsageError) << bad;
  }
}

TEST(ComputeOptions, ThreadsAreTheCoresOfTheProcessByDefault) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(compute_options({}).threads, CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(compute_options({}).threads, 1);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace nmt::cli
