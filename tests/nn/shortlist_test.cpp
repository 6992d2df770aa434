#include "nn/saved/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/factory.h"
#include "common/complaint.h"
#include "common/temporary_folder.h"
#include "nn/saved/convert.h"
#include "nn/weights/parameter_files.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::HasSubstr;
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

class ShortlistInAModelTest : public ::testing::Test {
 protected:
  /// Returns a model file with these additional tensors.
  ModelFile written(std::vector<FileTensor> tensors) {
    const auto backend = open_backend({.device = "cpu", .precision = "f32"});
    const SavedModel model = testing::text_model(*backend, vocabularies().source);
    for (FileTensor& tensor : vocabulary_tensors(model.vocabularies)) tensors.push_back(std::move(tensor));
    const TrainingWeights& weights = model.model->training_weights();
    for (FileTensor& tensor : nmt::tensors(weights, "", weights.values(), DType::f32))
      tensors.push_back(std::move(tensor));
    write_model_file(folder_ / "m.safetensors", write_model_settings(model.settings), std::move(tensors));
    return ModelFile(folder_ / "m.safetensors");
  }
  static Shortlist shortlist() {
    std::vector<Ids> of_source(static_cast<std::size_t>(vocabularies().source.size()));
    of_source[4] = {7, 9};
    of_source[6] = {8};
    return {{vocabularies().target.end(), 20}, std::move(of_source), vocabularies().target.size()};
  }

  TemporaryFolder folder_;
};

TEST_F(ShortlistInAModelTest, ComesBackAndStaysInWhatIsConverted) {
  const ModelFile file = written(shortlist_tensors(shortlist()));
  EXPECT_TRUE(has_shortlist(file));
  convert_model(file, DType::i8, folder_ / "small.safetensors");
  for (const char* name : {"m.safetensors", "small.safetensors"}) {
    const SavedModel model = blank_model(ModelFile(folder_ / name));
    ASSERT_NE(model.shortlist, nullptr) << name;
    EXPECT_EQ(model.shortlist->always(), shortlist().always());
    EXPECT_EQ(model.shortlist->of_source(), shortlist().of_source());
  }
  EXPECT_EQ(blank_model(written({})).shortlist, nullptr);
}

TEST_F(ShortlistInAModelTest, IdsThatDoNotFitAreRefused) {
  const auto complaint_of = [&](const char* name, std::vector<std::int32_t> numbers) {
    std::vector<FileTensor> tensors = shortlist_tensors(shortlist());
    std::erase_if(tensors, [&](const FileTensor& tensor) { return tensor.name == name; });
    if (!numbers.empty()) {
      tensors.push_back(
          {name, DType::i32, {std::ssize(numbers)}, reinterpret_cast<const std::byte*>(numbers.data())});
    }
    const ModelFile file = written(std::move(tensors));
    return testing::complaint([&] { blank_model(file); });
  };
  const std::int32_t end = vocabularies().target.end(), size = vocabularies().target.size();
  EXPECT_THAT(complaint_of("shortlist.always", {20}), HasSubstr("does not allow EOS"));
  EXPECT_THAT(complaint_of("shortlist.always", {end, size}), HasSubstr("not of its target vocabulary"));
  EXPECT_THAT(complaint_of("shortlist.always", {20, end}), HasSubstr("not rising"));
  EXPECT_THAT(complaint_of("shortlist.source", {9, 7, 8}), HasSubstr("not rising"));
  EXPECT_THAT(complaint_of("shortlist.source", {}), HasSubstr("no 'shortlist.source'"));
  EXPECT_THAT(complaint_of("shortlist.ends", {1, 2}), HasSubstr("not of its source vocabulary"));
  std::vector<std::int32_t> ends(shortlist().of_source().size(), 4);
  EXPECT_THAT(complaint_of("shortlist.ends", ends), HasSubstr("end before they begin"));
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

/// Returns the error about a file with this text.
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
      error_of("\t" + b + "\n\t" + b).starts_with("list', line 2: 'the beginning with a tab' occurs"));
  EXPECT_TRUE(
      error_of("\t" + b + "\nzzz\t" + b).starts_with("list', line 2: 'zzz' is not a piece of the source"));
  EXPECT_TRUE(error_of("\t" + b + "\n" + a + "\tzzz")
                  .starts_with("list', line 2: 'zzz' is not a piece of the target"));
  EXPECT_TRUE(
      error_of("\t" + b + "\n" + a + "\t\n").starts_with("list', line 2: '' is not a piece of the target"));
  EXPECT_LT(error_of(std::string(5000, 'z') + "\t" + b).size(), 400U) << "a message quotes no whole file";
  EXPECT_NE(error_of(a + "\t" + b + "\n" + a + "\t" + b).find("line 2: '" + a + "' occurs twice"),
            std::string::npos);
  EXPECT_NE(error_of(a + "\t" + b + "\t" + b).find("line 1: '" + b + "' occurs twice"), std::string::npos);
}

}  // namespace
}  // namespace nmt
