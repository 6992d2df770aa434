// Small checkpoints of fairseq, made by tests from its documentation.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "common/temporary_folder.h"
#include "foreign/containers/training_checkpoint.h"

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

inline std::string pickled_dict(const PickledSettings& settings) {
  std::map<std::string, std::string> items;
  for (const auto& [key, value] : settings) items[key] = pickled(value);
  return pickled_dict(items);
}

/// The files of a model, which a test changes before they are written.
struct MadeUpCheckpoint : MadeUpTensors {
  PickledSettings settings = {{"arch", "transformer_iwslt_de_en"},
                              {"task", "translation"},
                              {"source_lang", "en"},
                              {"target_lang", "de"},
                              {"share_decoder_input_output_embed", true},
                              {"adaptive_softmax_cutoff", std::monostate()}};
  std::map<std::string, std::string> files = {{"dict.en.txt", "a 5\nb@@ 4\nmadeupword0000 0\n"},
                                              {"dict.de.txt", "x 5\ny 4\n"}};

  MadeUpCheckpoint() {
    for (const std::string side : {"encoder", "decoder"}) {
      settings[side + "_embed_dim"] = static_cast<int>(kWidth);
      settings[side + "_ffn_embed_dim"] = static_cast<int>(kInner);
      settings[side + "_layers"] = 1;
      settings[side + "_attention_heads"] = 2;
      settings[side + "_normalize_before"] = false;
      settings[side + "_learned_pos"] = false;
      add_layer("", side);
    }
    add("encoder.embed_tokens.weight", {7, kWidth});
    add("decoder.embed_tokens.weight", {6, kWidth});
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
    return training_checkpoint(tensors, "model", std::move(entries));
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
