#include "foreign/marian/marian_recurrent.h"

#include <array>

#include "common/error.h"
#include "foreign/not_held.h"
#include "nn/recurrent/recurrent_config.h"

namespace nmt {
namespace {

/// Settings with the same values on both sides, by both names.
constexpr std::array kSameSettings = {
    std::array{"dim-emb", "d_embedding"},
    std::array{"dim-rnn", "d_state"},
    std::array{"enc-cell", "cell"},
    std::array{"enc-type", "encoder_directions"},
    std::array{"enc-depth", "encoder_layers"},
    std::array{"enc-cell-depth", "encoder_transition_depth"},
    std::array{"dec-depth", "decoder_layers"},
    std::array{"dec-cell-base-depth", "decoder_base_transition_depth"},
    std::array{"dec-cell-high-depth", "decoder_high_transition_depth"},
    std::array{"skip", "skip_connections"},
    std::array{"layer-normalization", "layer_normalization"},
};
constexpr double kRecurrentEpsilon = 1e-9;

std::string cell_of(const MarianYaml& yaml, const std::string& key) {
  std::string cell = yaml.text(key, "gru");
  if (cell != "gru" && cell != "lstm") yaml.refuse(key, "cells of another kind");
  return cell;
}

}  // namespace

bool is_recurrent_type(const std::string& type) {
  return type == "s2s" || type == "amun";
}

ModelSettings marian_recurrent_settings(const MarianYaml& yaml) {
  ModelSettings settings = {{"type", "rnn"},
                            {"decoder_start", "zero"},
                            {"tied_embeddings", marian_tying(yaml)},
                            {"output_bias", yaml.flag("output-omit-bias") ? "false" : "true"},
                            {"layer_norm_epsilon", "1e-09"}};
  for (const auto& [theirs, ours] : kSameSettings) {
    if (const std::string value = yaml.text(theirs); !value.empty()) settings[ours] = value;
  }
  settings["cell"] = cell_of(yaml, "enc-cell");
  settings["decoder_cell"] = cell_of(yaml, "dec-cell");
  const std::string directions = yaml.text("enc-type", "bidirectional");
  if (directions != "bidirectional" && directions != "bi-unidirectional" && directions != "alternating")
    yaml.refuse("enc-type", "an encoder of another kind");
  if (yaml.integer("dec-cell-base-depth", 2) < 2)
    yaml.refuse("dec-cell-base-depth", "no cell after attention");
  return settings;
}

std::string marian_recurrent_config_of(const ModelSettings& settings, const std::string& name) {
  const auto refuse = [&](const char* setting) {
    throw NotHeld("'{}' cannot become a model of Marian, which does not support {} {}", name, setting,
                  settings.at(setting));
  };
  if (settings.at("decoder_start") != "zero") refuse("decoder_start");
  if (settings.at("attention") != "additive") refuse("attention");
  const RecurrentConfig config(settings);
  if (config.encoder_d_state != config.d_state) refuse("encoder_d_state");
  const bool has_norm = settings.at("layer_normalization") == "true";
  if (has_norm && real_setting(settings, "layer_norm_epsilon", 0, 1) != kRecurrentEpsilon)
    refuse("layer_norm_epsilon");
  const std::string& decoder_cell = settings.at("decoder_cell");
  std::string yaml = "type: s2s\nversion: v1.12.42\ninput-types:\n  []\n";
  yaml += fmt::format("dim-vocabs: [{}, {}]\n", settings.at("source_vocabulary"),
                      settings.at("target_vocabulary"));
  yaml += fmt::format("dec-cell: {}\n", decoder_cell == "same" ? settings.at("cell") : decoder_cell);
  for (const auto& [theirs, ours] : kSameSettings) yaml += fmt::format("{}: {}\n", theirs, settings.at(ours));
  return yaml;
}

}  // namespace nmt
