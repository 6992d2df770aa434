#include <array>
#include <string>

#include "common/error.h"
#include "foreign/marian/marian_export.h"
#include "foreign/marian/marian_recurrent.h"
#include "foreign/not_held.h"

namespace nmt {
namespace {

/// Settings that Marian supports with one value only.
constexpr std::array kFixed = {
    std::array{"type", "transformer"},   std::array{"positions", "tensor2tensor"},
    std::array{"position_offset", "0"},  std::array{"embedding_scale", "sqrt"},
    std::array{"decoder_start", "zero"},
};
constexpr double kEpsilon = 1e-6;

class Config {
 public:
  Config(const ModelSettings& settings, const std::string& name) : settings_(settings), name_(name) {}

  std::string text() {
    if (value("type") == "rnn")
      yaml_ = marian_recurrent_config_of(settings_, name_);
    else
      transformer();
    add("right-left", is_right_left());
    add("output-omit-bias", value("output_bias") == "false");
    add("tied-embeddings", value("tied_embeddings") == "target");
    add("tied-embeddings-all", value("tied_embeddings") == "all");
    add("tied-embeddings-src", value("tied_embeddings") == "inputs");
    return yaml_;
  }

 private:
  void transformer() {
    check_fixed();
    operations();
    sizes();
    decoder();
  }

  const std::string& value(const std::string& name) const { return settings_.at(name); }
  bool is_on(const std::string& name) const { return value(name) == "true"; }
  void add(const std::string& key, const std::string& text) { yaml_ += key + ": " + text + "\n"; }
  void add(const std::string& key, const char* text) { add(key, std::string(text)); }
  void add(const std::string& key, bool flag) { add(key, flag ? "true" : "false"); }

  [[noreturn]] void refuse(const std::string& setting) const {
    throw NotHeld("'{}' cannot become a model of Marian, which has nothing for {} {}", name_, setting,
                  value(setting));
  }

  /// Marian reverses both sides or none.
  bool is_right_left() const {
    const std::string &source = value("source_direction"), &target = value("target_direction");
    if (source == target) return target == "right-to-left";
    throw NotHeld(
        "'{}' reads its source {} (source_direction) and its target {} (target_direction), while Marian "
        "has one direction for both (right-left)",
        name_, source, target);
  }

  void check_fixed() {
    for (const auto& [setting, only] : kFixed) {
      if (value(setting) != only) refuse(setting);
    }
    if (real_setting(settings_, "layer_norm_epsilon", 0, 1) != kEpsilon) refuse("layer_norm_epsilon");
    add("type", "transformer");
  }

  /// The operations around layers, one letter each: d dropout, a residual connection, n normalization.
  void operations() {
    const std::string& norm = value("norm");
    const bool pre = norm == "pre" || norm == "both", post = norm == "post" || norm == "both";
    const bool top = is_on("final_norm") || (value("final_norm") == "auto" && norm == "pre");
    add("transformer-preprocess", pre ? "n" : R"("")");
    add("transformer-postprocess", post ? "dan" : "da");
    add("transformer-postprocess-emb", is_on("embedding_norm") ? "dn" : "d");
    add("transformer-postprocess-top", top ? "n" : R"("")");
  }

  std::string activation() const {
    const std::string& name = value("activation");
    if (name == "gelu_tanh") refuse("activation");
    return name == "gelu_sigmoid" ? "gelu" : name;
  }

  void sizes() {
    // Up to this version, GELU is an approximation.
    add("version", value("activation") == "gelu_sigmoid" ? "v1.12.0" : "v1.12.42");
    add("dim-emb", value("d_model"));
    add("dim-vocabs", "[" + value("source_vocabulary") + ", " + value("target_vocabulary") + "]");
    add("enc-depth", value("encoder_layers"));
    add("dec-depth", value("decoder_layers"));
    add("transformer-heads", value("heads"));
    add("transformer-dim-ffn", value("d_ff"));
    add("transformer-ffn-depth", value("ffn_layers"));
    add("transformer-ffn-activation", activation());
    add("transformer-decoder-dim-ffn", value("decoder_d_ff"));
    add("transformer-decoder-ffn-depth", value("decoder_ffn_layers"));
    add("transformer-no-projection", false);
    add("transformer-train-position-embeddings", false);
  }

  void decoder() {
    std::string tied = value("tied_decoder_layers") == "none" ? "" : value("tied_decoder_layers");
    for (char& c : tied) c = c == ' ' ? ',' : c;
    add("transformer-tied-layers", "[" + tied + "]");
    const std::string& layer = value("decoder_layer");
    add("transformer-decoder-autoreg", layer == "ssru"      ? "rnn"
                                       : layer == "average" ? "average-attention"
                                                            : "self-attention");
    add("dec-cell", layer == "ssru" ? "ssru" : "gru");
    add("transformer-rnn-projection", is_on("ssru_projection"));
    add("transformer-dim-aan", value(value("average_d_ff") == "0" ? "d_ff" : "average_d_ff"));
    add("transformer-aan-depth", value("average_ffn_layers"));
    add("transformer-aan-activation", activation());
    add("transformer-aan-nogate", !is_on("average_gate"));
  }

  const ModelSettings& settings_;
  const std::string& name_;
  std::string yaml_;
};

}  // namespace

std::string marian_config_of(const ModelSettings& settings, const std::string& name) {
  return Config(settings, name).text();
}

}  // namespace nmt
