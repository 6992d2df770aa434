// Messages about a CUDA backend that is missing or unusable.
#include "backend/cuda_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>

#include "backend/cuda/plugin.h"
#include "backend/factory.h"
#include "common/recording_log.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// The folder of a program whose plugin is one of tests/plugins.
fs::path with_plugin(const char* name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / "plugins" / name;
}

/// Returns the warnings on the way to the CPU; empty if there are none.
std::string on_the_way_to_the_cpu(const fs::path& program, const std::string& precision = "auto") {
  RecordingLog log;
  EXPECT_EQ(open_cuda_backend_if_any(precision, 1, {.log = &log}, program), nullptr);
  return log.take();
}

TEST(CudaPlugin, WithoutItTheCpuComputesSilently) {
  const TemporaryFolder program;
  EXPECT_THAT([&] { open_cuda_backend("cuda", "auto", 1, {}, program / ""); },
              ThrowsMessage<UsageError>(HasSubstr("no CUDA backend")));
  EXPECT_THAT(on_the_way_to_the_cpu(program / ""), IsEmpty());
}

TEST(CudaPlugin, IsFoundBesideTheProgramAndWhereItIsInstalled) {
  for (const char* place : {"bin/lib", "lib/nmt"}) {
    const TemporaryFolder root;
    fs::create_directories(root / "bin");
    fs::create_directories(root / place);
    fs::copy(with_plugin("throwing") / "lib/libnmt_cuda.so", root / place);
    EXPECT_THROW(open_cuda_backend("cuda", "auto", 1, {}, root / "bin"), NoGpu) << place;
  }
}

TEST(CudaPlugin, CannotBeAnyFile) {
  const TemporaryFolder program;
  fs::create_directory(program / "lib");
  program.write("lib/libnmt_cuda.so", "no library");
  EXPECT_THAT([&] { open_cuda_backend("cuda", "auto", 1, {}, program / ""); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("cannot be opened"), HasSubstr("libnmt_cuda.so"))));
  EXPECT_THAT(on_the_way_to_the_cpu(program / ""), HasSubstr("cannot be opened"));
}

TEST(CudaPlugin, MustBeOfTheSameBuild) {
  const fs::path program = with_plugin("another_build");
  EXPECT_THAT([&] { open_cuda_backend("cuda", "auto", 1, {}, program); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("another build"), HasSubstr("0.0-another"))));
  EXPECT_THAT(on_the_way_to_the_cpu(program), HasSubstr("another build"));
}

// The program and the plugin each have their own typeinfo for these.
TEST(CudaPlugin, ThrowsWhatTheProgramCatches) {
  const auto open = [](const char* precision) {
    return [precision] { open_cuda_backend("cuda:7", precision, 1, {}, with_plugin("throwing")); };
  };
  EXPECT_THAT(open("auto"), ThrowsMessage<NoGpu>(HasSubstr("no GPU 7")));
  EXPECT_THAT(open("f32"), ThrowsMessage<UsageError>(HasSubstr("GPU 7 is too old")));
  EXPECT_THAT(open("bf16"), ThrowsMessage<Error>(HasSubstr("GPU 7 failed")));
  EXPECT_THROW(open("f16")(), std::bad_alloc);
  EXPECT_THROW(open("tf32")(), std::logic_error);
}

TEST(CudaPlugin, SaysWhyAGpuIsNotUsedUnlessThereIsNone) {
  const fs::path program = with_plugin("throwing");
  EXPECT_THAT(on_the_way_to_the_cpu(program, "auto"), IsEmpty());
  EXPECT_THAT(on_the_way_to_the_cpu(program, "f32"), HasSubstr("on the CPU: GPU 0 is too old"));
  EXPECT_THAT(on_the_way_to_the_cpu(program, "bf16"), HasSubstr("on the CPU: GPU 0 failed"));
  EXPECT_THAT(on_the_way_to_the_cpu(program, "f16"), HasSubstr("is full"));
}

TEST(CudaPlugin, SaysWhyGpusAreNotPartitioned) {
  const TemporaryFolder nothing;
  RecordingLog log;
  EXPECT_THAT(names_of_cuda_gpus_if_any(log, nothing / ""), IsEmpty());
  EXPECT_THAT(log.take(), IsEmpty());
  EXPECT_THAT(names_of_cuda_gpus_if_any(log, with_plugin("another_build")), IsEmpty());
  EXPECT_THAT(log.take(), HasSubstr("on the CPU: "));
}

TEST(CudaPlugin, SeveralGpusHaveANumberEach) {
  EXPECT_EQ(devices_of("cuda:0,2,10"), (std::vector<std::string>{"cuda:0", "cuda:2", "cuda:10"}));
  for (const char* one : {"auto", "cpu", "cuda", "cuda:3"})
    EXPECT_EQ(devices_of(one), std::vector<std::string>{one});
  EXPECT_THAT([] { devices_of("cuda:1,0,1"); }, ThrowsMessage<UsageError>(HasSubstr("cuda:1 twice")));
}

TEST(CudaPlugin, KnowsGpusByNumber) {
  for (const char* device : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999"}) {
    EXPECT_THAT([&] { open_cuda_backend(device, "auto", 1, {}, with_plugin("throwing")); },
                ThrowsMessage<UsageError>(HasSubstr("unknown device")))
        << device;
  }
}

}  // namespace
}  // namespace nmt
