#include "translate/search/shortlist.h"

#include <gtest/gtest.h>

#include "common/error.h"
#include "common/temporary_folder.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using Ids = Shortlist::Ids;

const Vocabularies& vocabularies() {
  static const Vocabularies both{testing::text_vocabulary(), testing::text_vocabulary()};
  return both;
}

TEST(ShortlistTest, ASentenceMayBecomeWhatItsPiecesMay) {
  const Shortlist shortlist({2, 9}, {{}, {4, 3}, {9, 7}, {}}, 12);
  EXPECT_EQ(shortlist.candidates({}, 0), (Ids{2, 9}));
  EXPECT_EQ(shortlist.candidates({2, 1, 2}, 0), (Ids{2, 3, 4, 7, 9}));
  EXPECT_EQ(shortlist.candidates({2}, 5), (Ids{0, 1, 2, 7, 9})) << "the lowest fill it up";
  EXPECT_EQ(shortlist.candidates({1}, 100).size(), 12U) << "or all there are";
}

/// An alignment with these weights, a row a target piece, of so many source pieces and the end.
Alignment alignment(std::int64_t source, const std::vector<std::vector<double>>& rows) {
  Alignment alignment{source, std::ssize(rows) - 1, {}};
  for (const auto& row : rows) alignment.weights.insert(alignment.weights.end(), row.begin(), row.end());
  return alignment;
}

TEST(ShortlistTest, TheBestAreThoseThatWereAlignedMost) {
  const Vocabulary& vocabulary = vocabularies().target;
  ShortlistCounts counts(vocabularies());
  // 10 becomes 20 and, less, 21; 11 becomes 21; what looks past all words counts as frequent alone.
  counts.add({10, 11}, {20, 21, 22},
             alignment(2, {{0.9, 0.05, 0.05}, {0.2, 0.7, 0.1}, {0, 0, 1}, {0, 0, 1}}));
  counts.add({10}, {22}, alignment(1, {{0, 1}, {0, 1}}));
  const Shortlist two = counts.shortlist(2, 1);
  EXPECT_EQ(two.of_source()[10], (Ids{10, 20, 21})) << "and itself, as there is one vocabulary";
  EXPECT_EQ(two.of_source()[11], (Ids{11, 21}));
  EXPECT_EQ(two.of_source()[12], (Ids{12}));
  EXPECT_EQ(two.always(), (Ids{vocabulary.end(), 22}));
  EXPECT_EQ(counts.shortlist(1, 1).of_source()[10], (Ids{10, 20}));
}

TEST(ShortlistTest, ComesBackFromItsFile) {
  const TemporaryFolder folder;
  std::vector<Ids> of_source(static_cast<std::size_t>(vocabularies().source.size()));
  of_source[10] = {7, 20, 31};
  of_source[40] = {8};
  const Shortlist shortlist({vocabularies().target.end(), 15}, of_source, vocabularies().target.size());
  const Shortlist read =
      read_shortlist(folder.write("list", text_of(shortlist, vocabularies())), vocabularies());
  EXPECT_EQ(read.always(), shortlist.always());
  EXPECT_EQ(read.of_source(), shortlist.of_source());
}

/// What is said of a file with this text.
std::string error_of(const std::string& text) {
  const TemporaryFolder folder;
  try {
    read_shortlist(folder.write("list", text), vocabularies());
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(what.find("list'"));
  }
  return "none";
}

TEST(ShortlistTest, TellsWhatIsWrongInAFile) {
  const std::string a = vocabularies().source.piece(10), b = vocabularies().target.piece(20);
  EXPECT_EQ(error_of("\t" + b + "\n" + a + "\t" + b), "none") << "EOS is always there";
  EXPECT_TRUE(error_of("").starts_with("list' has no line that begins with a tab"));
  EXPECT_TRUE(error_of(a + "\t" + b + "\n").starts_with("list' has no line that begins with a tab"));
  EXPECT_TRUE(
      error_of("\t" + b + "\n\t" + b).starts_with("list', line 2: 'the beginning with a tab' stands"));
  EXPECT_TRUE(
      error_of("\t" + b + "\nzzz\t" + b).starts_with("list', line 2: 'zzz' is no piece of the source"));
  EXPECT_TRUE(
      error_of("\t" + b + "\n" + a + "\tzzz").starts_with("list', line 2: 'zzz' is no piece of the target"));
  EXPECT_TRUE(
      error_of("\t" + b + "\n" + a + "\t\n").starts_with("list', line 2: '' is no piece of the target"));
  EXPECT_LT(error_of(std::string(5000, 'z') + "\t" + b).size(), 400U) << "a message quotes no whole file";
  EXPECT_NE(error_of(a + "\t" + b + "\n" + a + "\t" + b).find("line 2: '" + a + "' stands there twice"),
            std::string::npos);
  EXPECT_NE(error_of(a + "\t" + b + "\t" + b).find("line 1: '" + b + "' stands there twice"),
            std::string::npos);
}

}  // namespace
}  // namespace nmt
