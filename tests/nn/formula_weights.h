// Weights by a formula of name and index, equal to those of tests/fixtures/transformer.py, so that fixtures
// contain only expected values.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/test_data.h"
#include "nn/registry.h"
#include "nn/weights/inference_weights.h"
#include "nn/weights/parameters.h"

namespace nmt::testing {

/// Computes the finalizer of SplitMix64.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// Computes the FNV-1a hash of a name.
inline std::uint64_t name_hash(const std::string& name) {
  std::uint64_t h = 0xCBF29CE484222325U;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}

/// `variant` selects another set of weights.
inline std::vector<double> formula_weight(const Parameters::Entry& entry, double gain,
                                          const std::string& variant = "") {
  const std::string& name = entry.parameter.name;
  const std::int64_t n = std::max<std::int64_t>(entry.rows, 1) * entry.columns;
  std::vector<double> values;
  for (std::int64_t i = 0; i < n; ++i) {
    double u = static_cast<double>(mix(name_hash(variant + name) + static_cast<std::uint64_t>(i)) >> 40) /
                   (1 << 23) -
               1;
    if (entry.rows > 0) {
      u *= gain * std::sqrt(6.0 / static_cast<double>(entry.rows + entry.columns));
    } else {
      u = name.ends_with("bias") ? u * 0.1 : u * 0.2 + 1;
    }
    values.push_back(static_cast<double>(static_cast<float>(u)));
  }
  return values;
}

/// The special tokens that the fixtures use: BOS 1, EOS 2.
inline constexpr SpecialTokens kFixtureSpecialTokens{.source_eos = 2, .target_eos = 2, .start = 1};

inline ModelSettings settings_of(const nlohmann::json& config) {
  ModelSettings settings;
  for (const auto& [key, value] : config.items()) {
    settings[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return settings;
}

/// Returns a model of this configuration with formula weights on a backend, for training or only for
/// inference.
inline std::unique_ptr<Model> formula_model(const nlohmann::json& config, double gain, Backend& backend,
                                            bool gradients = false, double end_bias = 0,
                                            const std::string& variant = "") {
  std::unique_ptr<Model> model = ModelRegistry::instance().make(settings_of(config));
  if (gradients) {
    model->allocate_for_training(backend);
  } else {
    allocate_for_inference(model->parameters(), backend);
  }
  for (const Parameters::Entry& entry : model->parameters().entries()) {
    std::vector<double> values = formula_weight(entry, gain, variant);
    if (entry.parameter.name == "output.bias") values[2] += end_bias;
    assign(backend, entry, values);
  }
  if (gradients) model->training_weights().values_changed();
  backend.weights_changed();
  return model;
}

/// Returns a fixture of models of this type.
inline nlohmann::json fixture(const std::string& name, const std::string& type = "transformer") {
  std::ifstream file(test_data(type + "/" + name));
  return nlohmann::json::parse(file);
}

inline std::vector<Example> examples_of(const nlohmann::json& source, const nlohmann::json& target = {}) {
  std::vector<Example> examples;
  for (std::size_t i = 0; i < source.size(); ++i) {
    examples.push_back({static_cast<std::int64_t>(i), source[i].get<std::vector<int>>(), {}});
    if (!target.is_null()) examples.back().target = target[i].get<std::vector<int>>();
  }
  return examples;
}

}  // namespace nmt::testing
