// Small checkpoints of fairseq, made by tests from its documentation.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/temporary_folder.h"
#include "foreign/containers/torch_bytes.h"

namespace nmt::testing {

/// A setting: None, a flag, a number, or a text.
using PickledSetting = std::variant<std::monostate, bool, int, std::string>;
using PickledSettings = std::map<std::string, PickledSetting>;

inline std::string pickled(const PickledSetting& setting) {
  if (const bool* flag = std::get_if<bool>(&setting)) return *flag ? "\x88" : "\x89";
  if (const int* number = std::get_if<int>(&setting)) return pickled_number(*number);
  if (const std::string* text = std::get_if<std::string>(&setting)) return pickled_text(*text);
  return "N";
}

/// Returns a dictionary of values that are pickled already.
inline std::string pickled_dict(const std::map<std::string, std::string>& items) {
  std::string bytes = "}(";
  for (const auto& [key, value] : items) bytes += pickled_text(key) + value;
  return bytes + "u";
}
inline std::string pickled_dict(const PickledSettings& settings) {
  std::map<std::string, std::string> items;
  for (const auto& [key, value] : settings) items[key] = pickled(value);
  return pickled_dict(items);
}

/// Returns an object of a class with these attributes.
inline std::string pickled_object(const std::string& module, const std::string& name,
                                  const std::string& attributes) {
  return pickled_global(module, name) + ")\x81" + attributes + "b";
}

inline constexpr std::int64_t kFairseqWidth = 8, kFairseqInner = 12;

/// The files of a model, which a test changes before they are written.
struct MadeUpCheckpoint {
  struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
  };

  PickledSettings settings = {{"arch", "transformer_iwslt_de_en"},
                              {"task", "translation"},
                              {"source_lang", "en"},
                              {"target_lang", "de"},
                              {"share_decoder_input_output_embed", true},
                              {"adaptive_softmax_cutoff", std::monostate()}};
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> files = {{"dict.en.txt", "a 5\nb@@ 4\nmadeupword0000 0\n"},
                                              {"dict.de.txt", "x 5\ny 4\n"}};

  MadeUpCheckpoint() {
    for (const std::string side : {"encoder", "decoder"}) {
      settings[side + "_embed_dim"] = static_cast<int>(kFairseqWidth);
      settings[side + "_ffn_embed_dim"] = static_cast<int>(kFairseqInner);
      settings[side + "_layers"] = 1;
      settings[side + "_attention_heads"] = 2;
      settings[side + "_normalize_before"] = false;
      settings[side + "_learned_pos"] = false;
      add_layer(side);
    }
    add("encoder.embed_tokens.weight", {7, kFairseqWidth});
    add("decoder.embed_tokens.weight", {6, kFairseqWidth});
  }

  /// Adds a tensor whose values around `around` differ from tensor to tensor.
  void add(const std::string& name, std::vector<std::int64_t> shape, float around = 0) {
    std::int64_t size = 1;
    for (const std::int64_t n : shape) size *= n;
    std::vector<float> values;
    const auto seed = static_cast<double>(tensors.size() + 1);
    for (std::int64_t i = 0; i < size; ++i)
      values.push_back(around +
                       0.5F * static_cast<float>(std::sin(seed * 1.3 + static_cast<double>(i) * 2.1)));
    tensors[name] = {std::move(shape), std::move(values)};
  }

  void add_linear(const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }
  void add_norm(const std::string& name) {
    add(name + ".weight", {kFairseqWidth}, 1);
    add(name + ".bias", {kFairseqWidth});
  }

  void add_layer(const std::string& side) {
    const std::string layer = side + ".layers.0.";
    std::vector<std::string> attentions = {"self_attn"};
    if (side == "decoder") attentions.emplace_back("encoder_attn");
    for (const std::string& attention : attentions) {
      for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"})
        add_linear(layer + attention + "." + part, kFairseqWidth, kFairseqWidth);
      add_norm(layer + attention + "_layer_norm");
    }
    add_linear(layer + "fc1", kFairseqInner, kFairseqWidth);
    add_linear(layer + "fc2", kFairseqWidth, kFairseqInner);
    add_norm(layer + "final_layer_norm");
  }

  void rename(const std::string& from, const std::string& to) {
    auto node = tensors.extract(from);
    node.key() = to;
    tensors.insert(std::move(node));
  }

  /// Returns the settings as `args`.
  std::map<std::string, std::string> arguments() const {
    return {{"args", pickled_object("argparse", "Namespace", pickled_dict(settings))}, {"cfg", "N"}};
  }

  /// Returns the bytes of a checkpoint with these entries beside the tensors.
  std::string bytes(std::map<std::string, std::string> entries) const {
    std::string model;
    std::vector<TorchStorage> storages;
    for (const auto& [name, tensor] : tensors) {
      const std::string key = std::to_string(storages.size());
      const auto size = static_cast<std::int64_t>(tensor.values.size());
      std::vector<std::int64_t> strides(tensor.shape.size(), 1);
      for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * tensor.shape[i];
      model +=
          pickled_text(name) + pickled_tensor({name, "FloatStorage", key, size, 0, tensor.shape, strides});
      storages.push_back(
          {key,
           static_cast<std::uint64_t>(size),
           {reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float)}});
    }
    entries["model"] = pickled_ordered_dict() + "(" + model + "u";
    return torch_zip(pickle(pickled_dict(entries)), storages);
  }
  std::string bytes() const { return bytes(arguments()); }

  /// Writes the files, with this checkpoint; returns its path.
  std::string write(const TemporaryFolder& folder, const std::string& name,
                    const std::string& checkpoint) const {
    const std::filesystem::path path = folder / name;
    std::filesystem::create_directory(path);
    for (const auto& [file, contents] : files) std::ofstream(path / file, std::ios::binary) << contents;
    std::ofstream(path / "model.pt", std::ios::binary) << checkpoint;
    return path.string();
  }
};

}  // namespace nmt::testing
