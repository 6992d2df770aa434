#include "common/process/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/file_descriptor.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

ProgramResult shell(const std::string& command, StandardError standard_error = StandardError::kept) {
  return run_program({"sh", "-c", command}, "", never_stopped(), {.standard_error = standard_error});
}

TEST(ProgramTest, TakesInputAndGivesOutput) {
  const std::string much(1 << 20, 'x');
  const ProgramResult result = run_program({"cat"}, much);
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.output == much);
  EXPECT_EQ(result.errors, "");
}

TEST(ProgramTest, TellsHowItFailed) {
  const ProgramResult result = shell("echo first >&2; echo second >&2; exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.errors, "first");
  EXPECT_EQ(shell("kill -9 $$").status, 128 + 9);
}

TEST(ProgramTest, TellsThatThereIsNone) {
  EXPECT_FALSE(run_program({"no-such-program"}, "").found);
}

TEST(ProgramTest, SharesStandardError) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(shell("echo out; echo error >&2", StandardError::shared).errors, "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "error\n");
}

TEST(ProgramTest, GetsNoOtherFiles) {
  const FileDescriptor inherited(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  ASSERT_TRUE(inherited);
  const std::string file = std::to_string(inherited.get());
  EXPECT_EQ(shell("[ ! -e /proc/self/fd/" + file + " ] && echo gone").output, "gone\n");
}

TEST(ProgramTest, IsEndedByAClosedPipe) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(shell("kill -PIPE $$").status, 128 + SIGPIPE);
  std::signal(SIGPIPE, before);
}

TEST(ProgramTest, IsEndedAfterATime) {
  const std::vector<std::string> program = {"sh", "-c", "echo begun; sleep 1000 & wait"};
  const ProgramResult ended = run_program(program, "", never_stopped(), {.timeout = std::chrono::seconds(1)});
  EXPECT_TRUE(ended.timed_out);
  EXPECT_EQ(ended.status, 128 + SIGTERM);
  EXPECT_EQ(ended.output, "begun\n");
  const ProgramResult done = run_program({"true"}, "", never_stopped(), {.timeout = std::chrono::hours(1)});
  EXPECT_FALSE(done.timed_out);
}

TEST(ProgramTest, IsEndedAsItWritesTooMuch) {
  for (const char* command : {"yes", "yes >&2"}) {
    const ProgramResult ended =
        run_program({"sh", "-c", command}, "", never_stopped(), {.most_output = 100'000});
    EXPECT_TRUE(ended.is_endless) << command;
    EXPECT_EQ(ended.output, "");
  }
}

/// Requests to stop as soon as a file exists.
class FileRequest final : public StopRequest {
 public:
  explicit FileRequest(std::string file) : file_(std::move(file)) {}
  int pending() const override { return std::filesystem::exists(file_) ? SIGTERM : 0; }

 private:
  std::string file_;
};

/// Runs a command with the name of a file that it creates when it may be ended. Returns how long ending it
/// takes.
std::chrono::duration<double> time_to_end(const std::string& command, const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(run_program({"sh", "-c", command, "sh", file}, "", FileRequest(file)), Interrupted);
  return std::chrono::steady_clock::now() - start;
}

/// Whether a process exists and is not a zombie.
bool is_running(const std::string& id) {
  std::ifstream status("/proc/" + id + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find('Z') == std::string::npos;
  }
  return false;
}

TEST(ProgramTest, EndsWithWhatItHasStarted) {
  const TemporaryFolder folder;
  const std::string file = folder / "started";
  EXPECT_LT(time_to_end(R"(sleep 60 & echo $! >"$1.tmp"; mv "$1.tmp" "$1"; wait)", file).count(), 30);
  std::string sleeper = folder.read("started");
  sleeper.pop_back();
  for (int i = 0; i < 500 && is_running(sleeper); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(is_running(sleeper));
}

TEST(ProgramTest, EndsThoughItWillNot) {
  const TemporaryFolder folder;
  EXPECT_LT(time_to_end(R"(trap '' TERM; touch "$1"; while :; do sleep 1; done)", folder / "started").count(),
            30);
}

}  // namespace
}  // namespace nmt
