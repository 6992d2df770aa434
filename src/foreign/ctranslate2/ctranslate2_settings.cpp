#include "foreign/ctranslate2/ctranslate2_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "foreign/norm_names.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

/// Parts of variable names of models with features that models here do not support.
constexpr std::array kCTranslate2Beyond = {
    std::pair{"/linear_0_noact/", "gated feed-forward networks"},
    std::pair{"/relative_", "relative positions"},
    std::pair{"/rotary_", "rotary positions"},
    std::pair{"/conv", "convolutions"},
    std::pair{"weight_zero", "weights of an encoding that is not CTranslate2's own (AWQ)"},
    std::pair{"/num_heads_kv", "heads that share keys and values"},
    std::pair{"/head_dim", "heads of a width of their own"},
    std::pair{"/queries_scale", "attention of another scale"},
    std::pair{"/project_in/", "embeddings of another width than the layers"},
    std::pair{"/scale_outputs", "outputs that are scaled"},
    std::pair{"/final_logit_softcapping", "logits that are capped"},
    std::pair{"/layer_scalar", "layers that are scaled"},
    std::pair{"/memory_kv/", "merged attention"},
    std::pair{"/q_norm/", "normalized queries"},
    std::pair{"/shared_layer_norm/", "layers beside each other"},
    std::pair{"/input_layer_norm/", "layer normalization in other places"},
    std::pair{"/layer_norm_use_residual", "RMSNorm whose gains count from 1"},
    std::pair{"encoder/embeddings_1/", "more than one input"},
};

/// Flags that must be off.
constexpr std::array kCTranslate2Off = {
    std::pair{"decoder/alibi", "attention with linear biases (ALiBi)"},
    std::pair{"encoder/multi_query_attention", "heads that share keys and values"},
    std::pair{"encoder/sliding_window", "attention to a window"},
    std::pair{"decoder/sliding_window", "attention to a window"},
};

/// The gain and the bias of the first normalization of a model. Without the bias, all are RMSNorm.
constexpr const char *kFirstGain = "encoder/layer_0/self_attention/layer_norm/gamma",
                     *kFirstBias = "encoder/layer_0/self_attention/layer_norm/beta";

/// Variables about alignments, models with several inputs, or features that are off.
constexpr std::array<const char*, 9> kCTranslate2Irrelevant = {
    "alignment_layer",          "alignment_heads",
    "decoder/alignment_layer",  "decoder/alignment_heads",
    "embeddings_merge",         "encoder/embeddings_merge",
    "decoder/scale_alibi",      "decoder/alibi_use_positive_positions",
    "decoder/embeddings_merge",
};

class CTranslate2Reader {
 public:
  CTranslate2Reader(ForeignTensors& tensors, const std::string& spec, const CTranslate2Config& config)
      : tensors_(tensors), attributes_(tensors), spec_(spec), config_(config) {}

  ModelSettings settings() {
    check_spec();
    refuse_what_is_missing();
    const bool is_rms = !tensors_.has(kFirstBias);
    const double usual_epsilon = is_rms ? 1e-6 : 1e-5;
    ModelSettings settings = {
        {"type", "transformer"},
        {"norm", variant("norm")},
        {"norm_kind", is_rms ? "rms" : "layer"},
        {"activation", variant("activation")},
        {"heads", std::to_string(attributes_.of_both("num_heads", usual_heads()))},
        {"embedding_scale", embedding_scale()},
        {"output_bias", yes_no(tensors_.has("decoder/projection/bias"))},
        {"decoder_start", decoder_start()},
        {"source_special_tokens", source_special_tokens_of(config_.tokens)},
        {"layer_norm_epsilon", fmt::format("{}", config_.layer_norm_epsilon.value_or(usual_epsilon))}};
    for (const std::string& key : side_norms())
      settings[key] = yes_no(both_have(side_norm_mark(Toolkit::ctranslate2, key, "")));
    add_sizes(settings);
    return settings;
  }

 private:
  static std::string yes_no(bool flag) { return flag ? "true" : "false"; }

  void check_spec() const {
    constexpr std::array<const char*, 4> kKnown = {"", "TransformerBase", "TransformerBig",
                                                   "TransformerSpec"};
    if (std::ranges::count(kKnown, spec_) > 0) return;
    throw Error(
        "'{}' holds a model of the kind {}; only those with an encoder and a decoder, "
        "TransformerSpec, can be opened",
        tensors_.file().path(), in_quotes(spec_));
  }

  void refuse_what_is_missing() {
    for (const auto& [name, entry] : tensors_.file().entries()) {
      for (const auto& [part, what] : kCTranslate2Beyond) {
        if (name.find(part) != name.npos) attributes_.refuse(name, what);
      }
    }
    for (const auto& [name, what] : kCTranslate2Off) {
      if (attributes_.flag(name, false)) attributes_.refuse(name, what);
    }
    for (const char* name : kCTranslate2Irrelevant) tensors_.ignore(name);
    const std::string layer = "encoder/layer_0/self_attention/";
    if (!tensors_.has(kFirstGain) && tensors_.has(layer + "linear_0/weight"))
      attributes_.refuse(layer, "layers without normalization, and so without residual connections");
  }

  bool both_have(const std::string& name) const {
    const bool encoder = tensors_.has("encoder" + name), decoder = tensors_.has("decoder" + name);
    if (encoder != decoder)
      attributes_.refuse((encoder ? "encoder" : "decoder") + name, "one side alone that is normalized there");
    return encoder;
  }

  /// Returns the value of a setting that a number states.
  std::string variant(const std::string& key) {
    const auto& [option, usual] = option_there(Toolkit::ctranslate2, key);
    const std::string number = std::to_string(attributes_.of_both(option, std::stoi(usual)));
    const auto value = value_here(Toolkit::ctranslate2, key, number);
    if (!value) attributes_.refuse("encoder/" + option, fmt::format("another {}, number {},", key, number));
    return *value;
  }

  std::int64_t usual_heads() const { return spec_ == "TransformerBig" ? 16 : 8; }

  std::string embedding_scale() {
    const std::string encoder = attributes_.embedding_scale("encoder"),
                      decoder = attributes_.embedding_scale("decoder");
    if (encoder != decoder)
      attributes_.refuse("encoder/scale_embeddings",
                         "embeddings that are scaled in another way on each side");
    return encoder;
  }

  std::string decoder_start() {
    if (attributes_.flag("decoder/start_from_zero_embedding", false)) return "zero";
    return decoder_start_of(config_.tokens, tensors_.file().path());
  }

  std::int64_t rows(const std::string& name) { return tensors_(name).rows; }

  std::string layers(const std::string& side) const {
    int count = 0;
    while (tensors_.has(fmt::format("{}/layer_{}/ffn/linear_0/weight", side, count))) ++count;
    return std::to_string(count);
  }

  void add_sizes(ModelSettings& settings) {
    const std::string source = ctranslate2_source_table(tensors_);
    const std::int64_t d_ff = rows("encoder/layer_0/ffn/linear_0/weight"),
                       decoder_d_ff = rows("decoder/layer_0/ffn/linear_0/weight");
    settings["d_model"] = std::to_string(tensors_(source).columns);
    settings["d_ff"] = std::to_string(d_ff);
    if (decoder_d_ff != d_ff) settings["decoder_d_ff"] = std::to_string(decoder_d_ff);
    for (const std::string side : {"encoder", "decoder"}) settings[side + "_layers"] = layers(side);
    settings["source_vocabulary"] = std::to_string(rows(source));
    settings["target_vocabulary"] = std::to_string(rows("decoder/embeddings/weight"));
  }

  ForeignTensors& tensors_;
  CTranslate2Attributes attributes_;
  const std::string& spec_;
  const CTranslate2Config& config_;
};

}  // namespace

ModelSettings ctranslate2_settings(ForeignTensors& tensors, const std::string& spec,
                                   const CTranslate2Config& config) {
  return CTranslate2Reader(tensors, spec, config).settings();
}

std::string ctranslate2_source_table(const ForeignTensors& tensors) {
  constexpr const char* kOne = "encoder/embeddings/weight";  // in versions with a single source
  return tensors.has(kOne) ? kOne : "encoder/embeddings_0/weight";
}

}  // namespace nmt
