#include "common/io/memory_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/mended_mappings.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

TEST(MemoryMap, ShowsTheBytesOfAFile) {
  const TemporaryFolder folder;
  const std::string bytes("some\0bytes", 10);
  MemoryMap map = map_file(folder.write("file", bytes));
  const MemoryMap moved = std::move(map);
  EXPECT_EQ(moved.text(), bytes);
}

TEST(MemoryMap, AnEmptyFileIsAnEmptyView) {
  const TemporaryFolder folder;
  EXPECT_EQ(map_file(folder.write("file", "")).size(), 0U);
}

TEST(MemoryMap, IsFoundByAnAddress) {
  const TemporaryFolder folder;
  const std::string path = std::filesystem::canonical(folder.write("a file", "some bytes"));
  const MemoryMap map = map_file(path);
  std::array<char, 4096> memory{};
  EXPECT_EQ(path_mapped_at(map.data() + 3, memory), path);
  EXPECT_EQ(path_mapped_at(nullptr, memory), "");
  std::array<char, 16> too_little{};
  EXPECT_EQ(path_mapped_at(map.data(), too_little), "");
}

constexpr std::size_t kPage = 4096;

/// Returns the contents of a file of `count` pages.
std::string pages(std::size_t count) {
  return std::string(count * kPage, 'x');
}

auto tells_of_truncation(const std::string& path) {
  return ::testing::ThrowsMessage<Error>(
      ::testing::HasSubstr("'" + path + "' was truncated or overwritten while it was read"));
}

TEST(MemoryMap, TruncatedFilesAreReadAsZerosAndReported) {
  const testing::MendedMappings mended;
  const TemporaryFolder folder;
  const std::string path = folder.write("cut", pages(5));
  const MemoryMap map = map_file(path), other = map_file(folder.write("other", pages(5)));
  map.check_unchanged();
  std::filesystem::resize_file(path, 2 * kPage + 1);
  EXPECT_EQ(map.text().substr(0, 2 * kPage + 1), other.text().substr(0, 2 * kPage + 1));
  map.check_complete();  // what was read so far was complete
  EXPECT_THAT([&] { map.check_unchanged(); }, tells_of_truncation(path));
  EXPECT_EQ(map.text().substr(3 * kPage), std::string(2 * kPage, '\0'));
  EXPECT_THAT(
      [&] { map.check_complete(); },
      ::testing::ThrowsMessage<Error>("'" + path + "' was truncated while it was read, or its disk fails"));
  EXPECT_THAT([&] { map.finish_reading(); }, tells_of_truncation(path));
  EXPECT_THAT([&] { map.copy(); }, tells_of_truncation(path));
  other.check_unchanged();
  EXPECT_EQ(other.copy(), pages(5));
}

TEST(MemoryMap, ADamagedFileIsAnErrorWhateverComesInItsPlace) {
  const testing::MendedMappings mended;
  const TemporaryFolder folder;
  const std::string path = folder.write("cut", pages(2));
  MemoryMap map = map_file(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(map.text()[kPage], '\0');
  std::filesystem::remove(path);
  folder.write("cut", pages(2));
  MemoryMap moved;
  moved = std::move(map);
  EXPECT_THAT([&] { moved.check_unchanged(); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("' was truncated ")));
  EXPECT_EQ(map_file(path).copy(), pages(2)) << "another file is as damaged";
}

TEST(MemoryMap, FilesThatAreWrittenToAreReported) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", pages(1));
  const MemoryMap map = map_file(path);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // file times have a limited resolution
  folder.write("new", pages(1));
  std::filesystem::copy_file(folder / "new", path, std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT([&] { map.check_unchanged(); }, tells_of_truncation(path));
}

TEST(MemoryMap, ANewFileOfTheSameNameChangesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", pages(1));
  const MemoryMap map = map_file(path);
  std::filesystem::rename(folder.write("new", "other"), path);
  EXPECT_EQ(map.copy(), pages(1));
}

TEST(MemoryMap, AllThreadsReadOnInATruncatedFile) {
  const testing::MendedMappings mended;
  const TemporaryFolder folder;
  constexpr std::size_t kPages = 64;
  const std::string path = folder.write("cut", pages(kPages));
  const MemoryMap map = map_file(path);
  std::atomic<bool> is_cut = false;
  std::vector<std::jthread> readers;
  std::array<std::size_t, 4> zeros{};
  for (std::size_t& found : zeros) {
    readers.emplace_back([&] {
      for (bool last = false; !last;) {
        last = is_cut;
        found = static_cast<std::size_t>(std::ranges::count(map.text(), '\0'));
        const MemoryMap another = map_file(folder / "cut");  // other ranges come and go meanwhile
      }
    });
  }
  std::filesystem::resize_file(path, kPage);
  is_cut = true;
  readers.clear();
  EXPECT_THAT(zeros, ::testing::Each((kPages - 1) * kPage));
  EXPECT_THROW(map.check_complete(), Error);
}

TEST(MemoryMap, OtherAddressesAreNotMended) {
  const TemporaryFolder folder;
  const MemoryMap map = map_file(folder.write("file", pages(1)));
  std::string elsewhere = "text";
  EXPECT_FALSE(mend_mapping(elsewhere.data()));
  EXPECT_FALSE(mend_mapping(nullptr));
  const char* gone = nullptr;
  { gone = map_file(folder / "file").data(); }
  EXPECT_FALSE(mend_mapping(gone));
  EXPECT_EQ(map.copy(), pages(1));
}

TEST(MemoryMap, NamesPointersOfGitLfs) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("model.npz", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 133\n");
  EXPECT_THAT([&] { map_file(path); },
              ::testing::ThrowsMessage<Error>(
                  ::testing::AllOf(::testing::HasSubstr("'" + path + "' is only a pointer of Git LFS"),
                                   ::testing::HasSubstr("git lfs pull"))));
}

TEST(MemoryMap, TellsOfFilesThatCannotBeMapped) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { map_file(folder / "missing"); },
              ::testing::ThrowsMessage<Error>("cannot read '" + (folder / "missing") +
                                              "': No such file or directory"));
  EXPECT_THROW(map_file(folder / "."), Error);
}

}  // namespace
}  // namespace nmt
