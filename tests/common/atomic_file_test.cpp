#include "common/io/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// During its lifetime, no file may grow above `bytes`, which is similar to a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &saved_);
    const rlimit limit{bytes, saved_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &saved_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit saved_{};
};

TEST(AtomicFile, WritesAllAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const std::string large(3 << 20, 'x');
  AtomicFile file(folder / "target");
  file.write("small ");
  file.write(large);
  file.write(" end");
  EXPECT_FALSE(std::filesystem::exists(folder / "target"));
  file.commit();
  EXPECT_EQ(folder.read("target"), "small " + large + " end");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, WithoutCommitTheTargetStaysAsItWas) {
  const TemporaryFolder folder;
  folder.write("target", "old");
  { AtomicFile(folder / "target").write("new"); }
  EXPECT_EQ(folder.read("target"), "old");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, KeepsWholeLinesWhereTheRestDoesNotCome) {
  const TemporaryFolder folder;
  folder.write("target", "old");
  {
    AtomicFile file(folder / "target");
    file.write_lines("one\ntwo\n");
    file.write("half");
  }
  EXPECT_EQ(folder.read("target"), "old");
  EXPECT_EQ(folder.read("target.partial"), "one\ntwo\n");
  {
    AtomicFile file(folder / "target.xz");
    file.write("packed");
    file.keep();
    file.write(" half");
  }
  EXPECT_EQ(folder.read("target.partial.xz"), "packed");
  EXPECT_EQ(folder.count(), 3);
  AtomicFile file(folder / "target");
  file.write_lines("one\n");
  file.write("two\n");
  file.commit();
  EXPECT_EQ(folder.read("target"), "one\ntwo\n");
  EXPECT_EQ(folder.count(), 3);
}

TEST(AtomicFile, KeepsTheLinesForWhichThereIsRoom) {
  const TemporaryFolder folder;
  const auto write = [&] {
    const FileSizeLimit limit(10);
    AtomicFile file(folder / "target");
    file.write_lines("one\ntwo\n");
    file.write_lines("6\n789\n");
  };
  EXPECT_THAT(write, ThrowsMessage<Error>(HasSubstr("cannot write '")));
  EXPECT_EQ(folder.read("target.partial"), "one\ntwo\n6\n");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, RemovesWhatProcessesHaveLeftThatWereKilled) {
  const TemporaryFolder folder;
  for (const char* left : {"target.12-0.tmp", "target.345-67.tmp"}) folder.write(left, "half");
  for (const char* other :
       {"target.tmp", "target.12.tmp", "target.x-0.tmp", "atarget.12-0.tmp", "target.12-0.tmp.gz"})
    folder.write(other, "of another kind");
  write_file(folder / "target", "new");
  EXPECT_FALSE(std::filesystem::exists(folder / "target.12-0.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "target.345-67.tmp"));
  EXPECT_EQ(folder.count(), 6);
}

TEST(AtomicFile, LeavesWhatIsBeingWrittenAlone) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "target");
  first.write("first");
  write_file(folder / "target", "second");
  EXPECT_EQ(folder.read("target"), "second");
  first.commit();
  EXPECT_EQ(folder.read("target"), "first");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, AFullDiskIsOneErrorAndTheTargetStays) {
  const TemporaryFolder folder;
  const std::string path = folder.write("target", "old");
  const FileSizeLimit limit(1 << 16);
  EXPECT_THAT([&] { write_file(path, std::string(1 << 17, 'x')); },
              ThrowsMessage<Error>(HasSubstr("cannot write '" + path + "': ")));
  EXPECT_EQ(folder.read("target"), "old");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, AFullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THAT(
      [] { write_file("/dev/full", "x"); },
      ThrowsMessage<Error>("cannot write '/dev/full': No space left on device; free some space or choose "
                           "another folder"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, WritesToWhatIsOpenWhereItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.write("target", "old ");
  const FileDescriptor open(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  for (const char* name : {"/dev/fd", "/proc/self/fd"}) {
    const std::string stream = fmt::format("{}/{}", name, open.get());
    EXPECT_TRUE(AtomicFile::is_stream(stream));
    AtomicFile::check(stream);
    write_file(stream, "new ");
  }
  EXPECT_EQ(folder.read("target"), "old new new ");
  for (const std::string& other : {path, folder / "missing", folder / "12"}) {
    EXPECT_FALSE(AtomicFile::is_stream(other)) << other;
  }
  EXPECT_TRUE(AtomicFile::is_stream("-"));
}

TEST(AtomicFile, WritesToAPipeByTheNameOfItsDescriptor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FileDescriptor out(ends[0]), in(ends[1]);
  const std::string path = fmt::format("/dev/fd/{}", in.get());
  write_file(path, "bytes");
  char bytes[8] = {};
  EXPECT_EQ(::read(out.get(), bytes, sizeof bytes), 5);
  EXPECT_STREQ(bytes, "bytes");
  EXPECT_THAT([&] { write_file(fmt::format("/dev/fd/{}", out.get()), "x"); },
              ThrowsMessage<Error>(HasSubstr("Permission denied")));
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink("elsewhere/target", folder / "link");
  write_file(folder / "link", "first");  // the link dangles at this point
  EXPECT_EQ(folder.read("elsewhere/target"), "first");
  write_file(folder / "link", "second");
  EXPECT_EQ(folder.read("elsewhere/target"), "second");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(AtomicFile, KeepsPermissionsAndHonoursTheMask) {
  const TemporaryFolder folder;
  const auto mode = [&](const char* name) {
    struct stat status {};
    ::stat((folder / name).c_str(), &status);
    return status.st_mode & 07777;
  };
  ::chmod(folder.write("private", "old").c_str(), 0600);
  write_file(folder / "private", "new");
  EXPECT_EQ(mode("private"), 0600U);
  const mode_t saved = ::umask(027);
  write_file(folder / "fresh", "new");
  ::umask(saved);
  EXPECT_EQ(mode("fresh"), 0640U);
}

TEST(AtomicFile, TellsOfTargetsThatCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing/target";
  EXPECT_THAT([&] { AtomicFile{missing}; },
              ThrowsMessage<Error>(HasSubstr("'" + missing + "': No such file")));
  std::filesystem::create_directory(folder / "folder");
  EXPECT_THAT([&] { AtomicFile{folder / "folder"}; }, ThrowsMessage<Error>(HasSubstr("it is a directory")));
}

}  // namespace
}  // namespace nmt
