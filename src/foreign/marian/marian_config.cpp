#include <string>

#include "common/error.h"
#include "foreign/layer_variants.h"
#include "foreign/marian/marian_export.h"
#include "foreign/marian/marian_operations.h"
#include "foreign/marian/marian_recurrent.h"
#include "foreign/norm_names.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {
namespace {

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
    check_variants(Toolkit::marian, settings_, name_);
    if (real_setting(settings_, "layer_norm_epsilon", 0, 1) != kEpsilon) refuse("layer_norm_epsilon");
    add("type", "transformer");
    operations();
    sizes();
    decoder();
  }

  const std::string& value(const std::string& name) const { return settings_.at(name); }
  /// Returns Marian's name for the value of a setting.
  std::string there(const std::string& key) const { return name_there(Toolkit::marian, key, value(key)); }
  void add(const std::string& key, const std::string& text) { yaml_ += key + ": " + text + "\n"; }
  void add(const std::string& key, const char* text) { add(key, std::string(text)); }
  void add(const std::string& key, bool flag) { add(key, flag ? "true" : "false"); }

  [[noreturn]] void refuse(const std::string& setting) const {
    throw NotHeld("'{}' cannot become a model of Marian, which does not support {} {}", name_, setting,
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

  /// Adds the option of a setting.
  void add_variant(const std::string& key) { add(option_there(Toolkit::marian, key).name, there(key)); }

  void add_operations(const std::string& option, const std::string& operations) {
    add(option, operations.empty() ? R"("")" : operations);
  }

  void operations() {
    const std::string around = marian_operations(settings_, "norm");
    const std::string before = around.substr(0, around.find('|'));
    add_operations(kMarianBefore, before);
    add_operations(kMarianBehind, around.substr(around.find('|') + 1));
    for (const std::string& key : side_norms())
      add_operations(option_there(Toolkit::marian, key).name, marian_operations(settings_, key));
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
    add_variant("activation");
    add("transformer-decoder-dim-ffn", value("decoder_d_ff"));
    add("transformer-decoder-ffn-depth", value("decoder_ffn_layers"));
    add("transformer-no-projection", false);
    add("transformer-train-position-embeddings", false);
    add_variant("positions");
  }

  void decoder() {
    std::string tied = value("tied_decoder_layers") == "none" ? "" : value("tied_decoder_layers");
    for (char& c : tied) c = c == ' ' ? ',' : c;
    add("transformer-tied-layers", "[" + tied + "]");
    add_variant("decoder_layer");
    add("dec-cell", value("decoder_layer") == "ssru" ? "ssru" : "gru");
    add_variant("ssru_projection");
    add("transformer-dim-aan", value(value("average_d_ff") == "0" ? "d_ff" : "average_d_ff"));
    add("transformer-aan-depth", value("average_ffn_layers"));
    add("transformer-aan-activation", there("activation"));
    add_variant("average_gate");
  }

  ModelSettings settings_;
  const std::string& name_;
  std::string yaml_;
};

}  // namespace

std::string marian_config_of(const ModelSettings& settings, const std::string& name) {
  const bool is_recurrent = settings.at("type") == "rnn";
  return Config(is_recurrent ? settings : without_auto(settings), name).text();
}

}  // namespace nmt
