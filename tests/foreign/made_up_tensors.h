// The tensors of small Transformers, made by tests, with the names that fairseq and transformers share.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nmt::testing {

inline constexpr std::int64_t kWidth = 8, kInner = 12;

struct MadeUpTensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Tensors by name, which a test changes before they are written.
struct MadeUpTensors {
  std::map<std::string, MadeUpTensor> tensors;

  /// Adds a tensor whose values around `around` differ from tensor to tensor.
  void add(const std::string& name, std::vector<std::int64_t> shape, float around = 0) {
    std::int64_t size = 1;
    for (const std::int64_t n : shape) size *= n;
    std::vector<float> values;
    const auto seed = static_cast<double>(tensors.size() + 1);
    for (std::int64_t i = 0; i < size; ++i)
      values.push_back(around +
                       0.5F * static_cast<float>(std::sin(seed * 1.7 + static_cast<double>(i) * 2.3)));
    tensors[name] = {std::move(shape), std::move(values)};
  }

  void add_linear(const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }
  void add_norm(const std::string& name) {
    add(name + ".weight", {kWidth}, 1);
    add(name + ".bias", {kWidth});
  }

  /// Adds a layer of a side, "encoder" or "decoder", whose tensors begin with `prefix` and the side.
  void add_layer(const std::string& prefix, const std::string& side) {
    const std::string layer = prefix + side + ".layers.0.";
    std::vector<std::string> attentions = {"self_attn"};
    if (side == "decoder") attentions.emplace_back("encoder_attn");
    for (const std::string& attention : attentions) {
      for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"})
        add_linear(layer + attention + "." + part, kWidth, kWidth);
      add_norm(layer + attention + "_layer_norm");
    }
    add_linear(layer + "fc1", kInner, kWidth);
    add_linear(layer + "fc2", kWidth, kInner);
    add_norm(layer + "final_layer_norm");
  }
};

}  // namespace nmt::testing
