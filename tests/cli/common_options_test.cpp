#include "cli/options/common_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "common/complaint.h"
#include "common/error.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

/// Configures the log by these arguments.
void apply_log_options(const std::vector<std::string>& arguments) {
  LogOptions log;
  Options options("nmt try", "", "", "");
  add_log_options(options, log);
  options.parse(arguments);
  apply(options, log);
}

struct Computing {
  DeviceSettings device;
  std::uint64_t seed = 1;
};

Computing computing_options(const std::vector<std::string>& arguments, Work work = Work::training) {
  Computing computing;
  Options options("nmt try", "", "", "");
  add_device_options(options, computing.device, work);
  add_seed_option(options, computing.seed);
  options.parse(arguments);
  return computing;
}

/// Returns what stderr shows of an ordinary message, a verbose one and a warning.
std::string messages() {
  ::testing::internal::CaptureStderr();
  log_verbose("verbose");
  log_info("info");
  log_warning("warning");
  return ::testing::internal::GetCapturedStderr();
}

TEST(LogOptions, SetLevelAndColor) {
  apply_log_options({"--quiet"});
  EXPECT_EQ(messages(), "warning: warning\n");
  apply_log_options({"-v", "--color", "always"});
  EXPECT_EQ(messages(), "verbose\ninfo\n\033[1;33mwarning: \033[0mwarning\n");
  apply_log_options({});
  EXPECT_EQ(messages(), "info\nwarning: warning\n");
}

TEST(LogOptions, QuietAndVerboseExcludeEachOther) {
  EXPECT_THROW(apply_log_options({"--quiet", "--verbose"}), UsageError);
  EXPECT_NO_THROW(apply_log_options({"--quiet", "--verbose", "--no-quiet", "--no-verbose"}));
}

TEST(LogOptions, OpenTheLogFile) {
  const TemporaryFolder folder;
  apply_log_options({"--log-file", folder / "run.log"});
  messages();
  EXPECT_THAT(folder.read("run.log"), ::testing::HasSubstr("warning: warning\n"));
}

TEST(LogOptions, StayOutOfTheResolvedConfiguration) {
  LogOptions log;
  Computing computing;
  Options options("nmt try", "", "", "");
  add_log_options(options, log);
  add_device_options(options, computing.device, Work::training);
  add_seed_option(options, computing.seed);
  options.parse({"--quiet", "--log-file", "x", "--threads", "3"});
  EXPECT_EQ(options.resolved(), "threads: 3\ndevice: auto\nprecision: auto\ncpu_isa: auto\nseed: 1\n");
}

TEST(ComputingOptions, AreChecked) {
  const std::string isa = cpu_instruction_sets().front();
  const Computing computing =
      computing_options({"--threads", "3", "--seed", "4294967295", "--device", "cpu", "--cpu-isa", isa});
  EXPECT_EQ(computing.device.threads, 3);
  EXPECT_EQ(computing.seed, 4294967295U);
  EXPECT_EQ(computing.device.device, "cpu");
  EXPECT_EQ(computing.device.cpu_isa, isa);
  for (const char* bad :
       {"--threads=0", "--seed=4294967296", "--seed=-1", "--device=tpu", "--precision=f8", "--cpu-isa=sse"}) {
    EXPECT_THROW(computing_options({bad}), UsageError) << bad;
  }
}

TEST(ComputingOptions, AreOfTheDevicesThatHaveThem) {
  const auto complaint = [](const std::vector<std::string>& arguments) {
    return testing::complaint<UsageError>([&] { computing_options(arguments, Work::inference); });
  };
  for (const char* device : {"reference", "cuda", "cuda:1"}) {
    EXPECT_THAT(complaint({"--device", device, "--cpu-isa", cpu_instruction_sets().front()}),
                ::testing::HasSubstr("--cpu-isa needs the CPU"))
        << device;
    EXPECT_EQ(complaint({"--device", device, "--cpu-isa", "auto"}), "") << "as configurations of runs say";
  }
}

TEST(ComputingOptions, TheReferenceDeviceHasOneThread) {
  const auto parsed = [](const std::string& device) {
    DeviceSettings target;
    Options options("nmt try", "", "", "");
    add_device_options(options, target, Work::inference);
    options.parse({"--threads", "2", "--device", device});
    return std::pair(options.idle(), options.resolved());
  };
  const auto [warnings, resolved] = parsed("reference");
  EXPECT_THAT(warnings,
              ::testing::ElementsAre("--threads has no effect: the reference device has one thread"));
  EXPECT_THAT(resolved, ::testing::Not(::testing::HasSubstr("threads")));
  EXPECT_THAT(parsed("cpu").first, ::testing::IsEmpty());
}

TEST(ComputingOptions, Int8IsForInference) {
  EXPECT_EQ(computing_options({"--precision", "int8"}, Work::inference).device.precision, "int8");
  EXPECT_THROW(computing_options({"--precision", "int8"}, Work::training), UsageError);
}

TEST(ComputingOptions, SeveralStreamsAreAskedFor) {
  const auto streams = [](const std::vector<std::string>& arguments) {
    DeviceSettings device;
    Options options("nmt try", "", "", "");
    add_device_options(options, device, Work::inference);
    add_streams_option(options, device);
    options.parse(arguments);
    return device.streams;
  };
  EXPECT_EQ(DeviceSettings().streams, 1);
  EXPECT_EQ(streams({}), 2);
  EXPECT_EQ(streams({"--streams", "1"}), 1);
  for (const char* bad : {"--streams=0", "--streams=-1", "--streams=33"})
    EXPECT_THROW(streams({bad}), UsageError) << bad;
  EXPECT_EQ(streams({"--device", "cuda:1", "--streams", "4"}), 4);
  for (const char* device : {"cpu", "reference"})
    EXPECT_THROW(streams({"--device", device, "--streams", "4"}), UsageError) << device;
}

TEST(ComputingOptions, ThreadsAreTheCoresOfTheProcessByDefault) {
  EXPECT_EQ(computing_options({}).device.threads, cores_available());
}

}  // namespace
}  // namespace nmt
