#include "hub/needed_files.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

using Names = std::vector<std::string>;

TEST(NeededFiles, SafetensorsComeBeforePickles) {
  EXPECT_EQ(needed_files({"README.md", "pytorch_model.bin", "tf_model.h5", "model.safetensors", "config.json",
                          "source.spm", "target.spm", "vocab.json", "tokenizer.json", "onnx/model.onnx",
                          "flax_model.msgpack"}),
            (Names{"config.json", "vocab.json", "source.spm", "target.spm", "model.safetensors"}));
  EXPECT_EQ(needed_files({"pytorch_model.bin", "config.json", "rust_model.ot"}),
            (Names{"config.json", "pytorch_model.bin"}));
}

TEST(NeededFiles, TokenizerJsonIsNeededWhereThereIsNoOther) {
  EXPECT_EQ(needed_files({"tokenizer.json", "tokenizer_config.json", "model.safetensors"}),
            (Names{"tokenizer_config.json", "tokenizer.json", "model.safetensors"}));
  EXPECT_EQ(needed_files({"tokenizer.json", "spiece.model", "model.safetensors"}),
            (Names{"spiece.model", "model.safetensors"}));
}

TEST(NeededFiles, CometCheckpointsAreWithoutTokenizer) {
  EXPECT_EQ(needed_files({"README.md", "checkpoints/model.ckpt", "hparams.yaml", "LICENSE"}),
            (Names{"hparams.yaml", "checkpoints/model.ckpt"}));
  EXPECT_EQ(needed_files({"hparams.yaml", "README.md"}), Names());
}

TEST(TokenizerFiles, AreThoseOfAnEncoderWithoutItsWeights) {
  EXPECT_EQ(
      tokenizer_files({"config.json", "model.safetensors", "sentencepiece.bpe.model", "tokenizer.json", "x"}),
      (Names{"sentencepiece.bpe.model", "tokenizer.json", "config.json"}));
  EXPECT_EQ(tokenizer_files({"config.json", "pytorch_model.bin", "special_tokens_map.json", "spiece.model",
                             "tokenizer_config.json"}),
            (Names{"spiece.model", "tokenizer_config.json", "special_tokens_map.json", "config.json"}));
  EXPECT_EQ(tokenizer_files({"config.json", "tokenizer.json"}), (Names{"tokenizer.json", "config.json"}));
  EXPECT_EQ(tokenizer_files({"config.json", "vocab.txt"}), Names());
}

TEST(NeededFiles, ModelsOfFairseqHaveAVocabularyForEachSide) {
  const Names indictrans = {"config.json", "dict.SRC.json", "dict.TGT.json",
                            "model.SRC",   "model.TGT",     "model.safetensors"};
  EXPECT_EQ(needed_files(indictrans), indictrans);
  EXPECT_EQ(needed_files({"vocab-src.json", "vocab-tgt.json", "merges.txt", "pytorch_model.bin"}),
            (Names{"vocab-src.json", "vocab-tgt.json", "merges.txt", "pytorch_model.bin"}));
}

TEST(NeededFiles, WeightsInSeveralFilesAreNeededWithTheirIndex) {
  const Names parts = {"model.safetensors.index.json", "model-00001-of-00002.safetensors",
                       "model-00002-of-00002.safetensors"};
  EXPECT_EQ(needed_files(parts), parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Names incomplete = parts;
    incomplete.erase(incomplete.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(needed_files(incomplete), Names()) << "without " << parts[i];
  }
  Names with_pickle = {"model-00001-of-00002.safetensors", "pytorch_model.bin"};
  EXPECT_EQ(needed_files(with_pickle), (Names{"pytorch_model.bin"}));
  EXPECT_EQ(needed_files({"model-00001-of-99999.safetensors", "model.safetensors.index.json"}), Names());
}

TEST(NeededFiles, ModelsOfCtranslate2HaveTheirVocabularies) {
  EXPECT_EQ(needed_files({"model.bin", "config.json", "shared_vocabulary.json", "source.spm", "target.spm"}),
            (Names{"config.json", "shared_vocabulary.json", "source.spm", "target.spm", "model.bin"}));
  EXPECT_EQ(
      needed_files({"model.bin", "shared_vocabulary.json", "spm.32k.model", "other/a.spm", "tokenizer.json"}),
      (Names{"shared_vocabulary.json", "spm.32k.model", "model.bin"}));
}

TEST(NeededFiles, ThereAreNoneWithoutWeights) {
  EXPECT_EQ(needed_files({"config.json", "README.md", "model.onnx"}), Names());
  EXPECT_EQ(needed_files({}), Names());
}

}  // namespace
}  // namespace nmt
