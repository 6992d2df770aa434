// Tests reading models of FSMT. Their translations are compared with transformers in
// huggingface_answers_test.cpp.
#include "foreign/huggingface/fsmt.h"

#include <gmock/gmock.h>

#include "common/complaint.h"
#include "common/test_data.h"
#include "foreign/fast_bpe.h"
#include "foreign/huggingface/huggingface_fixture.h"
#include "foreign/open.h"
#include "foreign/position_table.h"
#include "foreign/weights_of_file.h"

namespace nmt {
namespace {

using ::testing::ElementsAre;
using testing::fsmt_folder;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::MadeUpFolder;
using ::testing::Pair;
using testing::weight;

class FsmtTest : public testing::HuggingFaceTest {};

TEST_F(FsmtTest, SettingsAreThoseOfFairseq) {
  const ForeignModel model = read(fsmt_folder());
  EXPECT_THAT(model.settings,
              IsSupersetOf({Pair("norm", "post"), Pair("embedding_norm", "false"),
                            Pair("positions", "tensor2tensor"), Pair("position_offset", "2"),
                            Pair("embedding_scale", "sqrt"), Pair("tied_embeddings", "target"),
                            Pair("output_bias", "false"), Pair("decoder_start", "eos"),
                            Pair("source_vocabulary", "9"), Pair("target_vocabulary", "7")}));
}

TEST_F(FsmtTest, MissingSearchSettingsAreThoseOfTransformers) {
  EXPECT_THAT(read(fsmt_folder()).decoding, IsSupersetOf({Pair("beam", "5"), Pair("length_penalty", "1"),
                                                          Pair("max_length_extra", "198")}));
  MadeUpFolder with_file = fsmt_folder();
  with_file.generation = {{"max_length", 40}, {"length_penalty", 1.15}};
  EXPECT_THAT(read(with_file).decoding, IsSupersetOf({Pair("beam", "1"), Pair("length_penalty", "1.15"),
                                                      Pair("max_length_extra", "39")}));
}

TEST_F(FsmtTest, AllTablesMayBeOne) {
  MadeUpFolder tied = fsmt_folder();
  tied.config["tie_word_embeddings"] = true;
  tied.files["vocab-tgt.json"] = tied.files["vocab-src.json"];
  tied.tensors.erase("model.decoder.output_projection.weight");
  tied.tensors.erase("model.decoder.embed_tokens.weight");
  const ForeignModel model = read(tied);
  EXPECT_EQ(model.settings.at("tied_embeddings"), "all");
  EXPECT_EQ(weight(model_with(model, "model"), "embedding.weight"),
            tied.tensors["model.encoder.embed_tokens.weight"].values);
}

TEST_F(FsmtTest, AnOutputLayerOfItsOwnIsRefused) {
  MadeUpFolder other = fsmt_folder();
  other.tensors["model.decoder.output_projection.weight"].values[3] += 1;
  EXPECT_THAT(complaint(other), HasSubstr("model.decoder.output_projection.weight differs from "
                                          "model.decoder.embed_tokens.weight"));
}

TEST_F(FsmtTest, FilesMayContainPositions) {
  MadeUpFolder with_tables = fsmt_folder();
  const ComputedPositions kind{.kind = "tensor2tensor"};
  for (const auto& [side, rows] : {std::pair{"encoder", 12}, std::pair{"decoder", 9}}) {
    std::vector<float> table = position_table(kind, rows, testing::kWidth);
    std::fill_n(table.begin() + testing::kWidth, testing::kWidth, 0.F);  // of padding
    with_tables.tensors[std::string("model.") + side + ".embed_positions.weight"] = {{rows, testing::kWidth},
                                                                                     table};
  }
  EXPECT_EQ(read(with_tables).settings.at("positions"), "tensor2tensor");
  with_tables.tensors["model.encoder.embed_positions.weight"].values[5 * testing::kWidth] += 1;
  with_tables.tensors["model.decoder.embed_positions.weight"] =
      with_tables.tensors["model.encoder.embed_positions.weight"];
  EXPECT_THAT(read(with_tables).settings,
              IsSupersetOf(
                  {Pair("positions", "learned"), Pair("max_positions", "12"), Pair("position_offset", "2")}));
}

TEST_F(FsmtTest, TextIsDividedByMosesAndBpe) {
  const Vocabularies vocabularies = read(fsmt_folder()).vocabularies;
  EXPECT_THAT(vocabularies.source.encode("ab a."), ElementsAre(6, 4, 7));
  EXPECT_THAT(vocabularies.source.encode("ba"), ElementsAre(5, 4)) << "b continues, a ends the word";
  EXPECT_THAT(vocabularies.source.encode("AB"), ElementsAre(3, 3));
  EXPECT_EQ(vocabularies.target.decode({5, 4, 3, 4, 2}), "yx x") << "the unknown word disappears";
}

TEST_F(FsmtTest, TextMayBeInLowerCase) {
  MadeUpFolder lower = fsmt_folder();
  lower.tokenizer = {{"langs", {"en", "de"}}, {"do_lower_case", true}};
  EXPECT_THAT(read(lower).vocabularies.source.encode("AB A"), ElementsAre(6, 4));
}

TEST_F(FsmtTest, WhatIsMissingIsNamed) {
  for (const char* file : {"vocab-src.json", "vocab-tgt.json", "merges.txt"}) {
    MadeUpFolder without = fsmt_folder();
    without.files.erase(file);
    EXPECT_THAT(complaint(without), HasSubstr(std::string("fetch ") + file));
  }
  MadeUpFolder changed = fsmt_folder();
  changed.config.erase("langs");
  EXPECT_THAT(complaint(changed), HasSubstr("langs is not the languages of source and target"));
  changed = fsmt_folder();
  changed.files["vocab-src.json"] = R"({"<s>": 0, "<unk>": 1})";
  EXPECT_THAT(complaint(changed), HasSubstr("has no </s>"));
  changed = fsmt_folder();
  changed.files["vocab-tgt.json"] = changed.files["vocab-src.json"];
  EXPECT_THAT(complaint(changed), HasSubstr("8 words, but the tables of the model have 7 rows"));
  changed = fsmt_folder();
  changed.files["merges.txt"] = "";
  EXPECT_THAT(complaint(changed), HasSubstr("merges.txt' cannot be used: it has no codes"));
  changed.files["merges.txt"] = "a b</w> 7\na b";
  EXPECT_THAT(complaint(changed),
              HasSubstr("merges.txt' cannot be used: line 2 of its codes is not like the others, 'a b'"));
}

TEST_F(FsmtTest, PartsOfFilesAreReadOrRefused) {
  const MadeUpFolder whole = fsmt_folder();
  for (const std::string file : {"vocab-src.json", "vocab-tgt.json", "merges.txt"}) {
    for (std::size_t size = 0; size < whole.files.at(file).size(); size += 3) {
      MadeUpFolder part = whole;
      part.files[file].resize(size);
      const std::string said = complaint(part);
      const bool has_both_symbols = file == "merges.txt" && size > 2;
      EXPECT_THAT(said, HasSubstr(has_both_symbols ? "" : file)) << size;
    }
  }
}

TEST_F(FsmtTest, FilesNameTheLanguages) {
  MadeUpFolder made_up = fsmt_folder();
  const auto languages = [&] { return languages_of_model(made_up.write(folder_, std::to_string(count_++))); };
  EXPECT_EQ(languages(), (Languages{"en", "de"}));
  made_up.tokenizer = {{"langs", {"de", "en"}}};
  EXPECT_EQ(languages(), (Languages{"de", "en"}));
  made_up.config["langs"] = {"en"};
  made_up.tokenizer = {};
  EXPECT_EQ(languages(), Languages()) << "reading the model reports it";
  EXPECT_EQ(languages_of_model(testing::bart_folder().write(folder_, "bart")), Languages());
}

TEST_F(FsmtTest, ADamagedDownloadIsDownloadedAgain) {
  MadeUpFolder damaged = fsmt_folder();
  damaged.files["vocab-src.json"] = "{";
  const std::string repository = folder_ / "models--me--small", snapshot = "models--me--small/snapshots/0";
  std::filesystem::create_directories(folder_ / snapshot);
  const auto complaint = [](const std::string& path) {
    return testing::complaint([&] { open_model_file(path); });
  };
  EXPECT_THAT(complaint(damaged.write(folder_, snapshot)),
              HasSubstr("; to download the model again, remove '" + repository + "'"));
  EXPECT_THAT(complaint(damaged.write(folder_, "copy")), ::testing::Not(HasSubstr("download the model")));
  damaged.config["architectures"] = {"OtherModel"};
  EXPECT_THAT(complaint(damaged.write(folder_, snapshot)), ::testing::Not(HasSubstr("download the model")));
}

TEST(FastBpe, CodesAreThoseOfSubwordNmtWithCounts) {
  EXPECT_TRUE(are_fast_bpe_codes("e n</w> 20\na b 7\n"));
  EXPECT_FALSE(are_fast_bpe_codes("#version: 0.2\ne n</w>\n"));
  EXPECT_TRUE(are_fast_bpe_codes("e n</w>\n")) << "as transformers saves them";
  EXPECT_FALSE(are_fast_bpe_codes("e n\nen </w>\n"));
  EXPECT_EQ(subword_nmt_codes("e n</w> 20\n\na b 7"), "#version: 0.2\ne n</w>\na b\n");
  EXPECT_EQ(subword_nmt_codes("#version: 0.2\ne n</w>\n"), "#version: 0.2\ne n</w>\n");
  for (const char* part : {"e", "e n</w> 20\na", "e n</w> 20\na b", "e n</w>\na b 7\n"})
    EXPECT_THAT(testing::complaint([&] { subword_nmt_codes(part); }), HasSubstr("not like the others"))
        << part;
}

}  // namespace
}  // namespace nmt
