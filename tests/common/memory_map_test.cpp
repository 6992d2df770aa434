#include "common/io/memory_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "common/error.h"
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
