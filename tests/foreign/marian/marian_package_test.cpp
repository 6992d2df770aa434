#include "foreign/marian/marian_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "backend/factory.h"
#include "common/complaint.h"
#include "common/packing.h"
#include "common/temporary_folder.h"
#include "foreign/containers/marian_binary.h"
#include "foreign/containers/numpy/npz.h"
#include "foreign/containers/zip_bytes.h"
#include "foreign/marian/marian_export.h"
#include "foreign/marian/marian_shortlist_bytes.h"
#include "translate/text_model.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::raw;

/// A student model of Firefox with that package's file names in its own folder.
class StudentTest : public ::testing::Test {
 protected:
  StudentTest() {
    const SavedModel model = testing::text_model(
        *backend_, vocabulary_,
        {{"decoder_start", "zero"}, {"positions", "tensor2tensor"}, {"decoder_layer", "ssru"}});
    save_model(made_ / "m.safetensors", write_model_settings(model.settings), model.vocabularies,
               model.model->training_weights());
    export_to_marian(ModelFile(made_ / "m.safetensors"), made_ / "");
    fs::create_directory(folder_ / "student");
    add("vocab.enpt.spm", made_.read("source.spm"));
    add("lex.50.50.enpt.s2t.bin", shortlist());
    write_weights("model.enpt.intgemm.alphas.bin", true);
  }

  void add(const std::string& name, const std::string& bytes) { folder_.write("student/" + name, bytes); }
  void remove(const std::string& name) { fs::remove(folder_ / ("student/" + name)); }
  std::string path(const std::string& name = "") const { return folder_ / ("student/" + name); }
  void rename(const std::string& name, const std::string& other) { fs::rename(path(name), path(other)); }
  void pack(const std::string& name) {
    add(name + ".gz", pack_gzip(folder_.read("student/" + name)));
    remove(name);
  }

  /// Writes the tensors of the exported model; `has_multipliers`: with one for the activations beside each
  /// matrix.
  void write_weights(const std::string& name, bool has_multipliers) {
    const auto file = open_npz(made_ / "model.npz");
    std::vector<OutputTensor> tensors;
    for (const auto& [tensor, entry] : file->entries()) {
      if (tensor.starts_with("special:")) continue;
      tensors.push_back({tensor, ElementType::f32, entry.shape,
                         [values = file->read(tensor)](RowRange) { return bytes_of(values); }});
      if (!has_multipliers || entry.shape.size() != 2 || entry.shape[0] == 1) continue;
      tensors.push_back({tensor + "_QuantMultA", ElementType::f32, {1, 1}, [](RowRange) {
                           return bytes_of(std::vector<float>{7});
                         }});
    }
    // The multiplier of the output layer has a name of its own, not that of a matrix.
    if (has_multipliers)
      tensors.push_back({"none_QuantMultA", ElementType::f32, {1, 1}, [](RowRange) {
                           return bytes_of(std::vector<float>{7});
                         }});
    write_marian_binary(path(name), std::move(tensors), file->read_text("special:model.yml"));
  }

  /// Returns a shortlist that allows each source piece to become the next one, and the first ids in any
  /// sentence.
  std::string shortlist(std::uint64_t frequent = 4) const {
    const auto pieces = static_cast<std::uint64_t>(vocabulary_.size());
    std::string bytes = raw(frequent, std::uint64_t{1}, pieces + 1, pieces);
    for (std::uint64_t i = 0; i <= pieces; ++i) bytes += raw(i);
    for (std::uint64_t i = 0; i < pieces; ++i) bytes += raw(static_cast<std::uint32_t>((i + 1) % pieces));
    return testing::marian_shortlist_bytes(bytes);
  }

  std::string config(const std::string& more = "") const {
    return "relative-paths: true\nmodels:\n  - model.enpt.intgemm.alphas.bin\nvocabs:\n  - vocab.enpt.spm\n"
           "  - vocab.enpt.spm\nshortlist:\n    - lex.50.50.enpt.s2t.bin\n    - false\nbeam-size: 1\n"
           "normalize: 1.0\nword-penalty: 0\nmini-batch: 64\nmaxi-batch: 1000\nworkspace: 2000\n"
           "max-length-factor: 2.5\ngemm-precision: int8shiftAlphaAll\n" +
           more;
  }

  static std::string complaint_of(const std::string& path) {
    return testing::complaint([&] { open_model_file(path); });
  }

  TemporaryFolder folder_, made_;
  std::unique_ptr<Backend> backend_ = open_backend({.device = "cpu", .precision = "f32"});
  Vocabulary vocabulary_ = testing::text_vocabulary();
};

TEST_F(StudentTest, AFolderWithAConfigurationOfAnyName) {
  for (const char* name : {"config.yml", "decoder.yml", "config.intgemm8bitalpha.yml", "x.yaml"}) {
    add(name, config());
    for (const std::string& opened : {path(), path(name), path("model.enpt.intgemm.alphas.bin")}) {
      ASSERT_EQ(toolkit_of(opened), "Marian") << opened;
      const SavedModel model = blank_model(open_model_file(opened));
      EXPECT_EQ(model.decoding.at("beam"), "1");
      EXPECT_EQ(model.decoding.at("max_length_factor"), "2.5");
      EXPECT_EQ(model.decoding.at("max_length_extra"), "2.5");
      ASSERT_NE(model.shortlist, nullptr) << opened;
      EXPECT_EQ(model.shortlist->of_source()[3], (Shortlist::Ids{3, 4})) << "and itself";
      EXPECT_TRUE(model.vocabularies.target == vocabulary_);
    }
    remove(name);
  }
}

TEST_F(StudentTest, WithoutAConfigurationWhatIsBesideTheWeightsCounts) {
  const auto opened = [&](const std::string& name) { return blank_model(open_model_file(path(name))); };
  for (const char* name : {"", "model.enpt.intgemm.alphas.bin"}) {
    const SavedModel model = opened(name);
    EXPECT_NE(model.shortlist, nullptr) << name;
    EXPECT_EQ(model.decoding.at("beam"), "12") << "which is Marian's own: these weights are in f32";
  }
  for (const char* name : {"model.enpt.intgemm.alphas.bin", "lex.50.50.enpt.s2t.bin", "vocab.enpt.spm"})
    pack(name);
  for (const char* name : {"", "model.enpt.intgemm.alphas.bin.gz"})
    EXPECT_NE(opened(name).shortlist, nullptr) << "as Mozilla has published it: " << name;

  rename("vocab.enpt.spm.gz", "srcvocab.enpt.spm.gz");
  EXPECT_THAT(complaint_of(path()), HasSubstr("`source_vocab`")) << "that of the target is missing";
  add("trgvocab.enpt.spm", made_.read("target.spm"));
  EXPECT_TRUE(opened("").vocabularies.target == vocabulary_);
  remove("lex.50.50.enpt.s2t.bin.gz");
  EXPECT_EQ(opened("").shortlist, nullptr);
}

TEST_F(StudentTest, FilesOfSeveralPairsAreToldApartByTheirLanguages) {
  write_weights("model.pten.intgemm.alphas.bin", true);
  add("vocab.pten.spm", made_.read("source.spm"));
  add("vocab.enpt.spm", "of the other model, which this one does not open");
  EXPECT_THAT(complaint_of(path()), AllOf(HasSubstr("several models"), HasSubstr("model.pten")));
  EXPECT_EQ(complaint_of(path("model.pten.intgemm.alphas.bin")), "");
  remove("vocab.pten.spm");
  add("vocab.deen.spm", "");
  EXPECT_THAT(complaint_of(path("model.pten.intgemm.alphas.bin")), HasSubstr("may belong to"));
}

TEST_F(StudentTest, WhatAConfigurationNamesIsFoundInTheFolderAboveToo) {
  rename("model.enpt.intgemm.alphas.bin", "model.bin");
  add("model.bin.decoder.yml",
      "models: [/gone/model.bin]\nvocabs: [/gone/vocab.enpt.spm, /gone/vocab.enpt.spm]\nnormalize: 0.6\n");
  fs::rename(path("vocab.enpt.spm"), folder_ / "vocab.enpt.spm");
  for (const std::string& opened : {path(), path("model.bin")})
    EXPECT_EQ(blank_model(open_model_file(opened)).decoding.at("length_penalty"), "0.6") << opened;
  fs::remove(folder_ / "vocab.enpt.spm");
  EXPECT_THAT(complaint_of(path("model.bin")),
              AllOf(HasSubstr("vocabulary '/gone/vocab.enpt.spm', which does not exist"),
                    HasSubstr("`source_vocab`")));
}

TEST_F(StudentTest, WhatIsMissingOrChangesTranslationsIsNamed) {
  add("config.yml", config("output-sampling: true\n"));
  EXPECT_THAT(complaint_of(path()), HasSubstr("output-sampling: true"));
  add("config.yml", config());
  rename("lex.50.50.enpt.s2t.bin", "moved");
  EXPECT_THAT(complaint_of(path()),
              HasSubstr("names the shortlist 'lex.50.50.enpt.s2t.bin', which does not exist"));
  rename("moved", "lex.50.50.enpt.s2t.bin");
  add("other.yml", config());
  EXPECT_THAT(complaint_of(path()),
              HasSubstr("several configurations, such as 'config.yml' and 'other.yml'"));
  remove("other.yml");
  rename("model.enpt.intgemm.alphas.bin", "moved");
  EXPECT_THAT(complaint_of(path()),
              HasSubstr("names the model 'model.enpt.intgemm.alphas.bin', which does not exist"));
}

TEST_F(StudentTest, AnEmptyConfigurationIsRefused) {
  for (const char* text : {"", " \n"}) {
    add("config.yml", text);
    for (const char* name : {"", "model.enpt.intgemm.alphas.bin"})
      EXPECT_THAT(complaint_of(path(name)), HasSubstr("config.yml' is empty; copy it again, or remove it"));
  }
}

TEST_F(StudentTest, AConfigurationThatIsCutOffIsRefused) {
  for (const char* config : {"decoder.yml", "model.enpt.intgemm.alphas.bin.decoder.yml"}) {
    add(config, "normalize: 1\nvocabs: [");
    for (const char* name : {"", config, "model.enpt.intgemm.alphas.bin"}) {
      EXPECT_THAT(complaint_of(path(name)), AllOf(HasSubstr(config), HasSubstr("not valid YAML at line 2")))
          << name;
    }
    remove(config);
  }
}

TEST_F(StudentTest, APackageMayBeInAFolderOfAnArchive) {
  std::vector<testing::ZipEntry> entries = {{"opus-like/decoder.yml", config()},
                                            {"opus-like/README.md", "x"}};
  for (const char* name : {"model.enpt.intgemm.alphas.bin", "vocab.enpt.spm", "lex.50.50.enpt.s2t.bin"})
    entries.push_back({std::string("opus-like/") + name, folder_.read(std::string("student/") + name), true});
  const std::string archive = folder_.write("nested.zip", testing::zip_bytes(entries));
  EXPECT_EQ(toolkit_of(archive), "Marian");
  const SavedModel model = blank_model(open_model_file(archive));
  EXPECT_NE(model.shortlist, nullptr);
  EXPECT_TRUE(model.vocabularies.target == vocabulary_);
}

TEST_F(StudentTest, ATableCountsWithTheLimitsOfTheConfiguration) {
  std::string table;
  for (int i = 10; i < 20; ++i)
    table += vocabulary_.piece(i) + " " + vocabulary_.piece(5) + " 0." + std::to_string(i) + "\n";
  add("lex.s2t.gz", pack_gzip(table));
  add("config.yml",
      "relative-paths: true\nmodels: [model.enpt.intgemm.alphas.bin]\n"
      "vocabs: [vocab.enpt.spm, vocab.enpt.spm]\nshortlist: [lex.s2t.gz, 7, 2, 0]\n");
  const SavedModel model = blank_model(open_model_file(path()));
  EXPECT_EQ(model.shortlist->of_source()[5], (Shortlist::Ids{5, 18, 19}));
  EXPECT_EQ(model.shortlist->always().size(), 7U);
}

TEST_F(StudentTest, PackedFilesThatAreDamagedAreNamed) {
  pack("model.enpt.intgemm.alphas.bin");
  const std::string packed = folder_.read("student/model.enpt.intgemm.alphas.bin.gz");
  add("model.enpt.intgemm.alphas.bin.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(complaint_of(path()), HasSubstr("model.enpt.intgemm.alphas.bin.gz' is truncated"));
  add("model.enpt.intgemm.alphas.bin.gz",
      pack_gzip(raw(std::uint64_t{1}) + std::string(std::size_t{64} << 20, '\0')));
  EXPECT_THAT(complaint_of(path()), HasSubstr("more than 64 times its size"));
}

TEST_F(StudentTest, FilesOfOtherProgramsAreNoModel) {
  add("config.yml", "models: 7\n");  // a vocabulary in which "models" is a word
  remove("model.enpt.intgemm.alphas.bin");
  EXPECT_EQ(toolkit_of(path()), "");
  add("numbers.npz", testing::zip_bytes({{"numbers.npy", "", true}}));
  add("damaged.npz", "no archive");
  add("pytorch_model.bin", "PK\x03\x04 and more");
  EXPECT_EQ(toolkit_of(path()), "");
}

}  // namespace
}  // namespace nmt
