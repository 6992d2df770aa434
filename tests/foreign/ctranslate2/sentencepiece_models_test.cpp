// Tests finding the SentencePiece models of a folder.
#include "foreign/ctranslate2/sentencepiece_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/complaint.h"
#include "common/temporary_folder.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SentencePieceModelsTest : public ::testing::Test {
 protected:
  /// Returns the names of the files that are found among these, of the source and of the target.
  std::string found(const std::vector<std::string>& names) const {
    const TemporaryFolder folder;
    for (const std::string& name : names) static_cast<void>(folder.write(name, "pieces of " + name));
    const auto [source, target] = sentencepiece_models_in(*Package::open(folder / ""));
    if (!source || !target) return source || target ? "one" : "none";
    EXPECT_EQ(source->bytes, "pieces of " + name_of(*source));
    return name_of(*source) + ", " + name_of(*target);
  }
  std::string complaint(const std::vector<std::string>& names) const {
    return testing::complaint([&] { found(names); });
  }

 private:
  static std::string name_of(const TokenPieces& pieces) {
    return std::filesystem::path(pieces.name).filename().string();
  }
};

TEST_F(SentencePieceModelsTest, OneModelIsOfBothSides) {
  EXPECT_EQ(found({"config.json"}), "none");
  for (const std::string name : {"sentencepiece.model", "spm.model", "tokenizer.model", "spiece.model",
                                 "sentencepiece.bpe.model", "sp.model", "bpe.model", "opus.spm32k.spm"})
    EXPECT_EQ(found({name, "config.json"}), name + ", " + name);
}

TEST_F(SentencePieceModelsTest, NamesTellSides) {
  EXPECT_EQ(found({"source.spm", "target.spm"}), "source.spm, target.spm");
  EXPECT_EQ(found({"tgt.model", "src.model"}), "src.model, tgt.model");
  EXPECT_EQ(found({"en_source_32k.model", "de_target_32k.model", "en.model"}),
            "en_source_32k.model, de_target_32k.model");
  EXPECT_EQ(found({"opensource.model"}), "opensource.model, opensource.model") << "part of a word";
}

TEST_F(SentencePieceModelsTest, UsualNamesCountMore) {
  EXPECT_EQ(found({"source.spm", "target.spm", "sentencepiece.bpe.model"}),
            "sentencepiece.bpe.model, sentencepiece.bpe.model");
  EXPECT_EQ(found({"old.spm", "spm.model"}), "spm.model, spm.model");
}

TEST_F(SentencePieceModelsTest, AnUnclearChoiceIsRefused) {
  EXPECT_THAT(complaint({"en.spm", "de.spm"}),
              HasSubstr("has several SentencePiece models: 'de.spm', 'en.spm'"));
  EXPECT_THAT(complaint({"sp.model", "spm.model"}), HasSubstr("rename"));
  EXPECT_THAT(complaint({"source.spm"}),
              AllOf(HasSubstr("has source.spm, but no SentencePiece model of the target"),
                    HasSubstr("translations would be pieces")));
  EXPECT_THAT(complaint({"tgt.model"}), HasSubstr("text cannot be divided"));
}

TEST_F(SentencePieceModelsTest, CodesOfBpeDoNotCount) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("bpe.model", "#version: 0.2\na b\n"));
  EXPECT_FALSE(sentencepiece_models_in(*Package::open(folder / "")).source);
}

}  // namespace
}  // namespace nmt
