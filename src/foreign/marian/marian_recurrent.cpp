#include "foreign/marian/marian_recurrent.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "foreign/layer_variants.h"
#include "nn/recurrent/recurrent_config.h"

namespace nmt {
namespace {

class RecurrentNames {
 public:
  explicit RecurrentNames(const ModelSettings& settings) : config_(settings) {}

  std::vector<Correspondence> all() {
    embeddings();
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i) encoder_layer(i);
    matrix("decoder.start.weight", "decoder_ff_state_W");
    same("decoder.start.bias", "decoder_ff_state_b");
    gain("decoder.start_norm.weight", "decoder_ff_state_gamma");
    attention("decoder.layers.0.attention");
    decoder_layer(0, "decoder_cell", config_.decoder_base_transition_depth);
    for (std::int64_t i = 1; i < config_.decoder_layers; ++i)
      decoder_layer(i, fmt::format("decoder_l{}_cell", i + 1), config_.decoder_high_transition_depth);
    output();
    return std::move(list_);
  }

 private:
  void same(const std::string& ours, const std::string& theirs) { list_.push_back({ours, theirs}); }
  void matrix(const std::string& ours, const std::string& theirs) {
    list_.push_back({ours, theirs, Form::transposed});
  }
  void gain(const std::string& ours, const std::string& theirs) {
    if (config_.layer_normalization) same(ours, theirs);
  }

  /// Adds a weight that contains the gates of a cell side by side; `letter`: W, U or b.
  void gates(RecurrentCell cell, const std::string& ours, const std::string& theirs,
             const std::string& letter) {
    const Form form = letter == "b" ? Form::same : Form::transposed;
    const std::string name = theirs + "_" + letter;
    if (cell == RecurrentCell::lstm) {
      list_.push_back({.ours = ours, .theirs = name, .form = form, .swaps_gates = true});
    } else {
      list_.push_back({.ours = ours, .theirs = name, .form = form, .part = 0, .parts = 3, .span = 2});
      list_.push_back({.ours = ours, .theirs = name + "x", .form = form, .part = 2, .parts = 3});
    }
  }
  void gate_gain(RecurrentCell cell, const std::string& ours, const std::string& theirs) {
    if (!config_.layer_normalization) return;
    list_.push_back({.ours = ours, .theirs = theirs, .swaps_gates = cell == RecurrentCell::lstm});
  }

  void cell(RecurrentCell kind, const std::string& ours, const std::string& theirs, bool has_input,
            const char* bias) {
    if (has_input) {
      gates(kind, ours + ".weight_ih", theirs, "W");
      gate_gain(kind, ours + ".norm_ih.weight", theirs + "_gamma1");
    }
    gates(kind, ours + ".weight_hh", theirs, "U");
    gate_gain(kind, ours + ".norm_hh.weight", theirs + "_gamma2");
    gates(kind, ours + bias, theirs, "b");
  }

  /// Adds the cells of layer i of an encoder stack. Without a number: the first cell of the first layer.
  void encoder_cells(std::int64_t i, const std::string& ours, const std::string& stack) {
    const std::string layer = i > 0 ? fmt::format("{}_l{}", stack, i + 1) : stack;
    for (std::int64_t j = 0; j < config_.encoder_transition_depth; ++j) {
      const std::string theirs = i > 0 || j > 0 ? fmt::format("{}_cell{}", layer, j + 1) : layer;
      cell(config_.encoder_cell, fmt::format("{}.cells.{}", ours, j), theirs, j == 0, ".bias_ih");
    }
  }

  void encoder_layer(std::int64_t i) {
    const std::string ours = fmt::format("encoder.layers.{}", i);
    if (i >= config_.bidirectional_layers()) return encoder_cells(i, ours, "encoder");
    encoder_cells(i, ours + ".forward", "encoder_bi");
    encoder_cells(i, ours + ".backward", "encoder_bi_r");
  }

  void decoder_layer(std::int64_t i, const std::string& theirs, std::int64_t depth) {
    for (std::int64_t j = 0; j < depth; ++j) {
      const bool is_behind_attention = i == 0 && j > 0;
      const bool has_input = j == 0 || (i == 0 && j == 1);
      cell(config_.decoder_cell, fmt::format("decoder.layers.{}.cells.{}", i, j),
           theirs + std::to_string(j + 1), has_input, is_behind_attention ? ".bias_hh" : ".bias_ih");
    }
  }

  void attention(const std::string& ours) {
    matrix(ours + ".query.weight", "decoder_W_comb_att");
    gain(ours + ".query_norm.weight", "decoder_att_gamma2");
    matrix(ours + ".key.weight", "decoder_Wc_att");
    same(ours + ".key.bias", "decoder_b_att");
    gain(ours + ".key_norm.weight", "decoder_att_gamma1");
    matrix(ours + ".energy.weight", "decoder_U_att");
  }

  void embeddings() {
    if (has_one_embedding(config_.tying)) return same("embedding.weight", "Wemb");
    same("source_embedding.weight", "encoder_Wemb");
    same("target_embedding.weight", "decoder_Wemb");
  }

  void output() {
    int number = 0;
    for (const char* input : {"word", "state", "context"}) {
      const std::string ours = fmt::format("decoder.output.{}", input);
      matrix(ours + ".weight", fmt::format("decoder_ff_logit_l1_W{}", number));
      same(ours + ".bias", fmt::format("decoder_ff_logit_l1_b{}", number));
      gain(ours + "_norm.weight", fmt::format("decoder_ff_logit_l1_gamma{}", number++));
    }
    if (!has_tied_output(config_.tying)) same("output.weight", "decoder_ff_logit_l2_Wt");
    if (config_.output_bias) same("output.bias", "decoder_ff_logit_l2_b");
  }

  RecurrentConfig config_;
  std::vector<Correspondence> list_;
};

/// Names that follow no rule.
const std::map<std::string, std::string>& amun_names() {
  static const std::map<std::string, std::string> names = {
      {"encoder_Wemb", "Wemb"},
      {"decoder_Wemb", "Wemb_dec"},
      {"decoder_cell1_U", "decoder_U"},
      {"decoder_cell1_Ux", "decoder_Ux"},
      {"decoder_cell1_W", "decoder_W"},
      {"decoder_cell1_Wx", "decoder_Wx"},
      {"decoder_cell1_b", "decoder_b"},
      {"decoder_cell1_bx", "decoder_bx"},
      {"decoder_cell2_U", "decoder_U_nl"},
      {"decoder_cell2_Ux", "decoder_Ux_nl"},
      {"decoder_cell2_W", "decoder_Wc"},
      {"decoder_cell2_Wx", "decoder_Wcx"},
      {"decoder_cell2_b", "decoder_b_nl"},
      {"decoder_cell2_bx", "decoder_bx_nl"},
      {"decoder_ff_logit_l1_W0", "ff_logit_prev_W"},
      {"decoder_ff_logit_l1_b0", "ff_logit_prev_b"},
      {"decoder_ff_logit_l1_W1", "ff_logit_lstm_W"},
      {"decoder_ff_logit_l1_b1", "ff_logit_lstm_b"},
      {"decoder_ff_logit_l1_W2", "ff_logit_ctx_W"},
      {"decoder_ff_logit_l1_b2", "ff_logit_ctx_b"},
      {"decoder_ff_logit_l2_W", "ff_logit_W"},
      {"decoder_ff_logit_l2_b", "ff_logit_b"},
  };
  return names;
}

}  // namespace

std::vector<Correspondence> marian_recurrent_names(const ModelSettings& settings) {
  return RecurrentNames(settings).all();
}

std::string amun_name(const std::string& name) {
  const auto found = amun_names().find(name);
  if (found != amun_names().end()) return found->second;
  constexpr std::string_view kEncoderPart = "encoder_bi", kDecoderPart = "decoder_";
  if (name.starts_with(kEncoderPart)) return "encoder" + name.substr(kEncoderPart.size());
  const bool has_prefix =
      name.starts_with("decoder_ff_state_") || name.starts_with("decoder_ff_logit_l1_gamma");
  return has_prefix ? name.substr(kDecoderPart.size()) : name;
}

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
