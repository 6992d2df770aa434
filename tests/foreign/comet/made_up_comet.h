// Small COMET checkpoints, made by tests from the documentation of unbabel-comet.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "common/temporary_folder.h"
#include "data/small_vocabulary.h"
#include "foreign/containers/training_checkpoint.h"

namespace nmt::testing {

/// Returns a SentencePiece model of few pieces, trained once.
inline const Vocabulary& comet_pieces() {
  static const Vocabulary pieces = small_vocabulary("identity");
  return pieces;
}

/// The files of a checkpoint, which a test changes before they are written.
struct MadeUpComet : MadeUpTensors {
  static constexpr const char* kModel = "encoder.model.";
  static constexpr std::int64_t kPositions = 20;

  nlohmann::json hparams = {{"class_identifier", "regression_metric"}, {"pretrained_model", "some/encoder"}};
  nlohmann::json in_checkpoint;  // hyperparameters; null: none
  nlohmann::json encoder = {{"num_attention_heads", 2}};
  std::map<std::string, std::string> files = {{"sentencepiece.bpe.model", comet_pieces().bytes()}};

  /// Makes a regression model with layers like those of XLM-RoBERTa, or of XLM-RoBERTa-XL.
  explicit MadeUpComet(int layers = 1, bool is_pre_norm = false) {
    const std::string embeddings = std::string(kModel) + "embeddings.";
    add(embeddings + "word_embeddings.weight", {comet_pieces().size() + 2, kWidth});
    add(embeddings + "position_embeddings.weight", {kPositions, kWidth});
    add(embeddings + "token_type_embeddings.weight", {1, kWidth});
    add_norm(is_pre_norm ? std::string(kModel) + "encoder.LayerNorm" : embeddings + "LayerNorm");
    for (int i = 0; i < layers; ++i)
      add_encoder_layer(std::string(kModel) + "encoder.layer." + std::to_string(i) + ".", is_pre_norm);
    mix(std::vector<float>(static_cast<std::size_t>(layers) + 1), 1);
    estimator(6);
  }

  /// Sets the parameters of the mix of hidden states.
  void mix(const std::vector<float>& scalars, float gamma) {
    for (std::size_t i = 0; i < scalars.size(); ++i)
      tensors["layerwise_attention.scalar_parameters." + std::to_string(i)] = {{1}, {scalars[i]}};
    tensors["layerwise_attention.gamma"] = {{1}, {gamma}};
  }

  /// Sets an estimator that reads this number of vectors.
  void estimator(std::int64_t vectors) {
    add_linear("estimator.ff.0", 6, vectors * kWidth);
    add_linear("estimator.ff.3", 5, 6);
    add_linear("estimator.ff.6", 1, 5);
  }

  /// Makes a unified model, or an xCOMET model.
  void unify(const std::string& kind = "unified_metric") {
    hparams["class_identifier"] = kind;
    estimator(1);
  }

  std::string bytes() const {
    std::map<std::string, std::string> entries;
    if (!in_checkpoint.is_null()) entries["hyper_parameters"] = pickled_json(in_checkpoint);
    return training_checkpoint(tensors, "state_dict", entries);
  }

  /// Writes the files; returns their folder.
  std::string write(const TemporaryFolder& folder, const std::string& name = "comet") const {
    const std::filesystem::path path = folder / name;
    put(path / "checkpoints" / "model.ckpt", bytes());
    if (!hparams.is_null()) put(path / "hparams.yaml", hparams.dump());  // JSON is YAML
    if (!encoder.is_null()) put(path / "config.json", encoder.dump());
    for (const auto& [file, contents] : files) put(path / file, contents);
    return path.string();
  }

  static void put(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

 private:
  void add_encoder_layer(const std::string& layer, bool is_pre_norm) {
    for (const char* name : {"query", "key", "value"})
      add_linear(layer + "attention.self." + name, kWidth, kWidth);
    add_linear(layer + "attention.output.dense", kWidth, kWidth);
    add_linear(layer + "intermediate.dense", kInner, kWidth);
    add_linear(layer + "output.dense", kWidth, kInner);
    add_norm(layer + (is_pre_norm ? "attention.self_attn_layer_norm" : "attention.output.LayerNorm"));
    add_norm(layer + (is_pre_norm ? "LayerNorm" : "output.LayerNorm"));
  }
};

}  // namespace nmt::testing
