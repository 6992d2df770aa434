#include "foreign/marian/marian_shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "foreign/marian/marian_shortlist_bytes.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
using testing::raw;
using ::testing::ThrowsMessage;
using Ids = Shortlist::Ids;

const Vocabularies& vocabularies() {
  static const Vocabularies both{testing::text_vocabulary(), testing::text_vocabulary()};
  return both;
}

/// Returns a file of these ids for each source piece.
std::string binary(const std::vector<Ids>& of_source, std::uint64_t frequent = 3) {
  std::uint64_t count = 0;
  std::string offsets = raw(count), ids;
  for (const Ids& of_piece : of_source) {
    for (const std::int32_t id : of_piece) ids += raw(static_cast<std::uint32_t>(id));
    offsets += raw(count += of_piece.size());
  }
  const std::uint64_t begins = of_source.size() + 1;
  return testing::marian_shortlist_bytes(raw(frequent, std::uint64_t{50}, begins, count) + offsets + ids);
}

class MarianShortlistTest : public ::testing::Test {
 protected:
  MarianShortlist read(const std::string& bytes, const MarianShortlistLimits& limits = {}) {
    return read_marian_shortlist(folder_.write("list", bytes), vocabularies(), limits);
  }
  void refuse(const std::string& bytes, const char* message) {
    EXPECT_THAT([&] { read(bytes); }, ThrowsMessage<Error>(HasSubstr(message)));
  }
  static std::string piece(int id) { return vocabularies().target.piece(id); }

  const std::size_t size_ = static_cast<std::size_t>(vocabularies().source.size());
  TemporaryFolder folder_;
};

TEST_F(MarianShortlistTest, TheMostProbablePiecesOfATableCount) {
  std::string table =
      "NULL " + piece(10) + " 0.5\n" + piece(20) + " NULL 0.5\nno-piece " + piece(10) + " 1\n";
  table += piece(20) + " " + piece(10) + " 0.25\n" + piece(21) + "\t" + piece(10) + "\t5e-1\n";
  table += piece(22) + " " + piece(10) + " 0.125\n" + piece(20) + " " + piece(11) + " 1\n";
  const MarianShortlist found = read(table, {.best = 2, .frequent = 6});
  EXPECT_EQ(found.shortlist.of_source()[10], (Ids{10, 20, 21})) << "and itself, as there is one vocabulary";
  EXPECT_EQ(found.shortlist.of_source()[11], (Ids{11, 20}));
  EXPECT_EQ(found.shortlist.always(), (Ids{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(found.unknown, 1);
  EXPECT_FALSE(found.has_limits);
}

TEST_F(MarianShortlistTest, EndIsAlwaysAllowed) {
  const std::int32_t end = vocabularies().target.end();
  const auto below = static_cast<std::size_t>(end);
  Ids expected(below + 1);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(read(piece(20) + " " + piece(10) + " 1\n", {.best = 1, .frequent = below}).shortlist.always(),
            expected);
}

TEST_F(MarianShortlistTest, ABinaryOneHasItsOwnLimits) {
  std::vector<Ids> lists(size_);
  lists[10] = {20, 21, 22};
  lists[size_ - 1] = {7};
  const MarianShortlist found = read(binary(lists), {.best = 1, .frequent = 1});
  EXPECT_EQ(found.shortlist.of_source()[10], (Ids{10, 20, 21, 22}));
  EXPECT_EQ(found.shortlist.of_source()[size_ - 1], (Ids{7, static_cast<std::int32_t>(size_) - 1}));
  EXPECT_EQ(found.shortlist.of_source()[12], (Ids{12}));
  EXPECT_EQ(found.shortlist.always(), (Ids{0, 1, 2}));
  EXPECT_TRUE(found.has_limits);
}

TEST_F(MarianShortlistTest, DamagedAndForeignFilesAreRefused) {
  refuse("", "has no pieces of the model");
  refuse("no-piece nor-this 0.5\n", "has no pieces of the model");
  refuse(piece(20) + " " + piece(10) + "\n", "line 1: not a target piece, a source piece and a probability");
  refuse(piece(20) + " " + piece(10) + " nan\n", "line 1: not a target piece");
  std::vector<Ids> lists(size_);
  lists[10] = {20, 21, 22};
  const std::string bytes = binary(lists);
  for (std::size_t kept = 8; kept < bytes.size(); kept += 7) refuse(bytes.substr(0, kept), "is damaged");
  for (std::size_t bit = 64; bit < 8 * 48; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    refuse(flipped, "is damaged");
  }
  refuse(bytes + "1234", "is damaged");
  refuse(binary({{}, {1}}), "is of 2 source pieces");
  lists[10] = {static_cast<std::int32_t>(size_)};
  refuse(binary(lists), "the shortlist belongs to another model");
}

}  // namespace
}  // namespace nmt
