#include "common/io/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/complaint.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;

/// Returns a text of many pieces, in which each place differs from its neighbors.
std::string long_text(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + ' ';
  return text;
}

std::string read_back(Spool& spool) {
  std::string text;
  spool.for_each_piece([&](std::string_view piece) { text += piece; });
  return text;
}

TEST(Spool, GivesBackWhatWasAppended) {
  const std::string text = long_text(5'000'000);
  Spool spool;
  for (std::size_t begin = 0, size = 1; begin < text.size(); begin += size, size = size * 3 % 100'003) {
    const std::string piece = text.substr(begin, size);
    spool.append(piece.data(), piece.size());
  }
  EXPECT_TRUE(read_back(spool) == text);
  EXPECT_TRUE(spool.map().text() == text);
  spool.append("more", 4);
  EXPECT_TRUE(read_back(spool) == text + "more");
}

TEST(Spool, MapsOutliveIt) {
  MemoryMap map;
  {
    Spool spool;
    spool.append("bytes", 5);
    map = spool.map();
  }
  EXPECT_EQ(map.text(), "bytes");
}

TEST(Spool, MayBeEmpty) {
  Spool spool;
  EXPECT_EQ(read_back(spool), "");
  EXPECT_EQ(spool.map().size(), 0U);
}

TEST(Spool, LeavesNothingInTheTemporaryDirectory) {
  const TemporaryFolder folder;
  const char* const before = std::getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("TMPDIR", (folder / "").c_str(), 1);
  Spool spool;
  EXPECT_EQ(folder.count(), 0);
  ::setenv("TMPDIR", (folder / "missing").c_str(), 1);
  EXPECT_THAT(testing::complaint([] { const Spool none; }), HasSubstr("set TMPDIR to a directory with room"));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", saved.c_str(), 1);
  spool.append("x", 1);
  EXPECT_EQ(read_back(spool), "x");
}

}  // namespace
}  // namespace nmt
