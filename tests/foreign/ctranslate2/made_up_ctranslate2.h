// Small models of CTranslate2, made by tests from the description of the format.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/temporary_folder.h"
#include "foreign/containers/ctranslate2_bytes.h"
#include "tensor/dtype.h"

namespace nmt::testing {

/// Types of variables, numbered as from version 4 on.
enum class CTranslate2Type : std::uint8_t { f32, i8, i16, i32, f16, bf16 };

/// The files of a Transformer of one layer on each side, which a test changes before they are written. Its
/// weights are eighths, which all types represent exactly, those of 8 and 16 bits with a scale of 8.
struct MadeUpCTranslate2 {
  static constexpr std::uint32_t kWidth = 8, kInner = 12, kSourceRows = 7, kTargetRows = 6;

  struct Weight {
    std::vector<std::uint32_t> shape;
    std::vector<float> values;
  };

  std::map<std::string, Weight> weights;
  std::map<std::string, CTranslate2Variable> attributes;  // by name
  std::map<std::string, std::string> aliases;
  nlohmann::json config = {{"decoder_start_token", "<s>"}, {"add_source_eos", true}};
  std::map<std::string, std::string> files = {
      {"source_vocabulary.txt", "<blank>\n<s>\n</s>\na\nb\nc\n"},  // the unknown token is appended
      {"target_vocabulary.json", R"(["<unk>", "<s>", "</s>", "x", "y", "z"])"}};

  MadeUpCTranslate2() {
    add("encoder/embeddings_0/weight", {kSourceRows, kWidth});
    add("decoder/embeddings/weight", {kTargetRows, kWidth});
    linear("decoder/projection", kTargetRows, kWidth);
    for (const std::string side : {"encoder/", "decoder/"}) {
      const std::string layer = side + "layer_0/";
      linear(layer + "self_attention/linear_0", 3 * kWidth, kWidth);
      linear(layer + "self_attention/linear_1", kWidth, kWidth);
      norm(layer + "self_attention/layer_norm");
      linear(layer + "ffn/linear_0", kInner, kWidth);
      linear(layer + "ffn/linear_1", kWidth, kInner);
      norm(layer + "ffn/layer_norm");
      norm(side + "layer_norm");
    }
    linear("decoder/layer_0/attention/linear_0", kWidth, kWidth);
    linear("decoder/layer_0/attention/linear_1", 2 * kWidth, kWidth);
    linear("decoder/layer_0/attention/linear_2", kWidth, kWidth);
    norm("decoder/layer_0/attention/layer_norm");
  }

  void add(const std::string& name, std::vector<std::uint32_t> shape, float around = 0) {
    std::uint32_t size = 1;
    for (const std::uint32_t n : shape) size *= n;
    std::vector<float> values;
    for (std::uint32_t i = 0; i < size; ++i) {
      const double eighths = 7 * std::sin(1.7 * static_cast<double>(weights.size() + 1) + 2.3 * i);
      values.push_back(around + static_cast<float>(std::round(eighths)) / 8);
    }
    weights[name] = {std::move(shape), std::move(values)};
  }
  void linear(const std::string& name, std::uint32_t out, std::uint32_t in) {
    add(name + "/weight", {out, in});
    add(name + "/bias", {out});
  }
  void norm(const std::string& name) {
    add(name + "/gamma", {kWidth}, 1);
    add(name + "/beta", {kWidth});
  }
  void flag(const std::string& name, bool value) {
    attributes[name] = {name, {}, 1, std::string(1, value ? '\1' : '\0')};
  }
  void number(const std::string& name, std::int8_t value) { attributes[name] = {name, {}, 1, raw(value)}; }
  void real(const std::string& name, float value) { attributes[name] = {name, {}, 0, raw(value)}; }
  void text(const std::string& name, const std::string& value) {
    attributes[name] = {name, {static_cast<std::uint32_t>(value.size())}, 1, value};
  }

  /// Returns model.bin; `type`: that of the weights.
  std::string bytes(std::uint32_t version = 6, CTranslate2Type type = CTranslate2Type::f32,
                    const CTranslate2Kind& kind = {}) const {
    std::vector<CTranslate2Variable> variables;
    for (const auto& [name, weight] : weights)
      add_to(variables, version < 2 ? old_name(name) : name, weight, version,
             name.ends_with("weight") ? type : CTranslate2Type::f32);
    for (const auto& [name, attribute] : attributes) variables.push_back(attribute);
    return ctranslate2_bytes(version, variables, aliases, kind);
  }

  std::string write(const TemporaryFolder& folder, const std::string& binary,
                    const std::string& name = "model") const {
    const std::filesystem::path path = folder / name;
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
    const auto put = [&](const std::string& file, const std::string& contents) {
      std::ofstream(path / file, std::ios::binary) << contents;
    };
    put("model.bin", binary);
    if (!config.is_null()) put("config.json", config.dump());
    for (const auto& [file, contents] : files) put(file, contents);
    return path.string();
  }
  std::string write(const TemporaryFolder& folder) const { return write(folder, bytes()); }

 private:
  /// Returns the name of a variable in OpenNMT-tf.
  static std::string old_name(std::string name) {
    const auto change = [&name](const std::string& from, const std::string& to) {
      const std::size_t at = name.find(from);
      if (at != name.npos) name.replace(at, from.size(), to);
    };
    const bool encodes = name.starts_with("encoder");
    change("embeddings_0/weight", "w_embs");
    change("embeddings/weight", "w_embs");
    change("/self_attention/", encodes ? "/multi_head/" : "/masked_multi_head/");
    change("/attention/", "/multi_head/");
    change("linear_0", "conv1d");
    change("linear_", "conv1d_");
    change("layer_norm", "LayerNorm");
    change("projection", "dense");
    change("/weight", "/kernel");
    return "transformer/" + name + ":0";
  }

  static void add_to(std::vector<CTranslate2Variable>& variables, const std::string& name,
                     const Weight& weight, std::uint32_t version, CTranslate2Type type) {
    constexpr float kScale = 8;
    std::string data;
    std::uint8_t size = 4;
    for (const float value : weight.values) {
      switch (type) {
        case CTranslate2Type::i8:
          data += raw(static_cast<std::int8_t>(value * kScale));
          size = 1;
          break;
        case CTranslate2Type::i16:
          data += raw(static_cast<std::int16_t>(value * kScale));
          size = 2;
          break;
        case CTranslate2Type::f16:
          data += raw(Float16(value).bits);
          break;
        case CTranslate2Type::bf16:
          data += raw(BFloat16(value).bits);
          break;
        default:
          data += raw(value);
      }
    }
    const std::uint8_t f32 = version < 4 ? 4 : 0;
    variables.push_back({name, weight.shape, version < 4 ? size : static_cast<std::uint8_t>(type), data});
    if (type == CTranslate2Type::i16) variables.push_back({name + "_scale", {}, f32, raw(kScale)});
    if (type != CTranslate2Type::i8) return;
    variables.push_back(
        {name + "_scale", {weight.shape[0]}, f32, raw_list(std::vector<float>(weight.shape[0], kScale))});
  }
};

}  // namespace nmt::testing
