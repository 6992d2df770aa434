// Tests reading packages of Argos Translate.
#include "foreign/argos/argos_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/complaint.h"
#include "foreign/containers/zip_bytes.h"
#include "foreign/ctranslate2/made_up_ctranslate2.h"
#include "foreign/open.h"
#include "nn/saved/saved_model.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeUpCTranslate2;
using testing::zip_bytes;
using testing::ZipEntry;

/// The files of a package from English to German, which a test changes before they are written.
struct MadeUpPackage {
  nlohmann::json metadata = {
      {"package_version", "1.9"}, {"argos_version", "1.9.0"}, {"from_code", "en"}, {"to_code", "de"}};
  MadeUpCTranslate2 model;
  std::map<std::string, std::string> files = {{"sentencepiece.model", testing::text_vocabulary().bytes()},
                                              {"stanza/resources.json", "{"}};

  /// Returns all files by name, of an archive with the folder `top`.
  std::vector<ZipEntry> entries(const std::string& top) const {
    std::vector<ZipEntry> entries = {{top + "metadata.json", metadata.dump(), true},
                                     {top + "model/model.bin", model.bytes(), true},
                                     {top + "model/config.json", model.config.dump()}};
    for (const auto& [name, bytes] : model.files) entries.push_back({top + "model/" + name, bytes});
    for (const auto& [name, bytes] : files) entries.push_back({top + name, bytes});
    return entries;
  }
};

class ArgosPackageTest : public ::testing::Test {
 protected:
  std::string archive(const MadeUpPackage& package, const std::string& top = "translate-en_de-1_9/",
                      const std::string& name = "en_de.argosmodel") const {
    return folder_.write(name, zip_bytes(package.entries(top)));
  }
  std::string unpacked(const MadeUpPackage& package) const {
    const std::filesystem::path path = folder_ / "package";
    std::filesystem::remove_all(path);
    for (const auto& [name, bytes, is_deflated] : package.entries("package/")) {
      std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
      static_cast<void>(folder_.write(name, bytes));
    }
    return path.string();
  }
  SavedModel model(const MadeUpPackage& package) const {
    return blank_model(open_model_file(archive(package)));
  }
  template <class Change>
  std::string complaint_after(const Change& change) const {
    MadeUpPackage package;
    change(package);
    const std::string path = archive(package);
    return testing::complaint([&] { open_model_file(path); });
  }

  TemporaryFolder folder_;
};

TEST_F(ArgosPackageTest, ArchivesAndFoldersAreTheSameModel) {
  const MadeUpPackage package;
  const std::string expected = open_model_file(unpacked(package)).checksum();
  EXPECT_EQ(toolkit_of(unpacked(package)), "Argos Translate");
  EXPECT_EQ(open_model_file(archive(package)).checksum(), expected);
  EXPECT_EQ(open_model_file(archive(package, "")).checksum(), expected) << "without a folder at the top";
  const std::string zip = archive(package, "a/", "a.zip");
  EXPECT_EQ(toolkit_of(zip), "Argos Translate");
  EXPECT_EQ(open_model_file(zip).checksum(), expected);
  EXPECT_THAT(files_of_model(unpacked(package)), ::testing::Contains(HasSubstr("model/model.bin")));
}

TEST_F(ArgosPackageTest, OtherFilesAreNone) {
  EXPECT_EQ(toolkit_of(folder_.write("other.zip", zip_bytes({{"a/metadata.json", "{}"}}))), "");
  static_cast<void>(folder_.write("metadata.json", "{}"));
  EXPECT_EQ(toolkit_of(folder_ / ""), "");
}

TEST_F(ArgosPackageTest, SearchesAsArgosTranslateDoes) {
  const SavedModel package = model({});
  EXPECT_EQ(package.decoding, (DecodingSettings{{"beam", "4"},
                                                {"beam_rules", "ctranslate2"},
                                                {"length_normalization", "power"},
                                                {"length_penalty", "0.2"},
                                                {"max_length_extra", "256"},
                                                {"max_length_factor", "0"},
                                                {"replace_unknown", "true"}}));
}

TEST_F(ArgosPackageTest, TextIsDividedIntoPieces) {
  MadeUpPackage package;
  const Vocabulary pieces = testing::text_vocabulary();
  const std::vector<int> ids = pieces.encode("a");
  ASSERT_EQ(ids.size(), 2U);
  package.model.files["source_vocabulary.txt"] =
      "<blank>\n<s>\n</s>\n" + pieces.piece(ids[1]) + "\n" + pieces.piece(ids[0]) + "\nz\n";
  package.model.config["add_source_eos"] = false;
  package.model.config["decoder_start_token"] = "</s>";
  const SavedModel read = model(package);
  EXPECT_THAT(read.vocabularies.source.encode("a"), ElementsAre(4, 3));
  EXPECT_FALSE(read.special_tokens.ends_source) << "Argos Translate adds no </s>";
}

// The segmentation and the text are those of Argos Translate with sacremoses 0.2.0.
TEST_F(ArgosPackageTest, TextIsDividedByBpe) {
  MadeUpPackage package;
  package.files = {{"bpe.model", "#version: 0.2\nl o\nlo w</w>\n"}};
  package.model.files["source_vocabulary.txt"] = "<blank>\n<s>\n</s>\nlow\nlo@@\n！\n";
  package.model.files["target_vocabulary.json"] = R"(["<unk>", "<s>", "</s>", "low", "&apos;s", "!"])";
  const SavedModel read = model(package);
  EXPECT_THAT(read.vocabularies.source.encode("low low-low ！"), ElementsAre(3, 4, 6, 6, 3, 5));
  EXPECT_EQ(read.vocabularies.target.decode({3, 5, 3, 4}), "low! low 's");
}

TEST_F(ArgosPackageTest, TranslationsMayBeginWithAToken) {
  MadeUpPackage package;
  package.metadata["target_prefix"] = "y";
  const SavedModel read = model(package);
  EXPECT_EQ(read.decoding.at("target_language"), "de");
  EXPECT_THAT(read.vocabularies.target.languages(), ElementsAre("de"));
  EXPECT_THAT(in_languages(read, {}).target.first_tokens(), ElementsAre(4));
  EXPECT_THAT(in_languages(read, {}).source.encode(""), IsEmpty());
  EXPECT_THAT(complaint_after([](MadeUpPackage& p) { p.metadata["target_prefix"] = "__de__"; }),
              AllOf(HasSubstr("metadata.json"), HasSubstr("begin with '__de__', which the model does not")));
}

TEST_F(ArgosPackageTest, LanguagesAreThoseOfItsMetadata) {
  EXPECT_EQ(languages_of_model(archive({})), (Languages{"en", "de"}));
  EXPECT_EQ(languages_of_model(folder_.write("a.safetensors", "")), Languages());
}

TEST_F(ArgosPackageTest, WhatIsMissingIsNamed) {
  const auto without = [this](const std::string& key) {
    return complaint_after([&](MadeUpPackage& package) {
      package.metadata.erase(key);
      package.files.erase(key);
      package.model.files.erase(key);
    });
  };
  EXPECT_THAT(without("sentencepiece.model"),
              HasSubstr("has neither sentencepiece.model nor bpe.model, without which"));
  EXPECT_THAT(without("source_vocabulary.txt"), HasSubstr("has no source_vocabulary.json or .txt"));
  const std::string without_model = folder_.write(
      "a.argosmodel", zip_bytes({{"a/metadata.json", R"({"from_code": "en", "to_code": "de"})"}}));
  EXPECT_THAT(testing::complaint([&] { open_model_file(without_model); }),
              HasSubstr("a.argosmodel' holds no 'a/model/model.bin'"));
  const std::string other = folder_.write("b.argosmodel", zip_bytes({{"a/b/metadata.json", "{}"}}));
  EXPECT_THAT(testing::complaint([&] { open_model_file(other); }),
              HasSubstr("has no metadata.json, which all packages of Argos Translate have"));
}

TEST_F(ArgosPackageTest, OtherTypesOfPackagesAreNamed) {
  EXPECT_THAT(complaint_after([](MadeUpPackage& package) { package.metadata["type"] = "sbd"; }),
              HasSubstr(R"(type is "sbd", not "translate")"));
}

TEST_F(ArgosPackageTest, BpeNeedsLanguages) {
  EXPECT_THAT(complaint_after([](MadeUpPackage& package) {
                package.files = {{"bpe.model", "#version: 0.2\na b\n"}};
                package.metadata.erase("to_code");
              }),
              HasSubstr("to_code is missing"));
}

TEST_F(ArgosPackageTest, DamagedPackagesAreReadOrRefused) {
  const std::string bytes = zip_bytes(MadeUpPackage().entries("a/"));
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 50) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1 << at % 8);
    const std::string path = folder_.write("changed.argosmodel", changed);
    refused += testing::complaint([&] { open_model_file(path); }).empty() ? 0 : 1;
    const std::string cut = folder_.write("cut.argosmodel", bytes.substr(0, at));
    EXPECT_NE(testing::complaint([&] { open_model_file(cut); }), "") << at;
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace nmt
