// Fuzz target: settings of models of Hugging Face transformers.
#include "common/error.h"
#include "foreign/huggingface/huggingface_settings.h"
#include "foreign/huggingface/indictrans.h"
#include "fuzz/check.h"
#include "fuzz/target.h"
#include "nn/registry.h"

namespace nmt::fuzz {
namespace of_huggingface_config {
namespace {

constexpr const char* kLayers =
    R"("d_model": 8, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 2,
       "decoder_attention_heads": 2, "encoder_ffn_dim": 12, "decoder_ffn_dim": 10)";

std::vector<std::string> seeds() {
  const std::string layers = kLayers;
  return {
      R"({"architectures": ["MarianMTModel"], "activation_function": "swish", "num_beams": 4, "max_length": 512,
              "bad_words_ids": [[9]], "renormalize_logits": true, "forced_eos_token_id": 0, "scale_embedding": true,
              "share_encoder_decoder_embeddings": false, )" +
          layers + "}",
      R"({"model_type": "m2m_100", "pad_token_id": 1, "length_penalty": 0.5, "early_stopping": true,
              "suppress_tokens": [4, 5], "forced_bos_token_id": 7, "tie_word_embeddings": false, )" +
          layers + "}",
      R"({"architectures": ["FSMTForConditionalGeneration"], "langs": ["en", "de"], "src_vocab_size": 20, "decoder":
              {"vocab_size": 20}, )" +
          layers + "}",
      R"({"architectures": ["IndicTransForConditionalGeneration"], "encoder_embed_dim": 8, "decoder_embed_dim": 8,
              "encoder_normalize_before": true, "decoder_normalize_before": true, "layernorm_embedding": true, )" +
          layers + "}",
      R"({"architectures": ["MBartForConditionalGeneration"], "max_new_tokens": 9, "min_length": 0, )" +
          layers + "}"};
}

std::vector<std::string> words() {
  return {"null",
          "true",
          "[]",
          "1e308",
          "-1",
          "\"architectures\":",
          "\"BartForConditionalGeneration\"",
          "\"activation_function\":",
          "\"gelu_new\"",
          "\"quantization_config\":",
          "\"do_sample\":",
          "\"no_repeat_ngram_size\":",
          "\"bad_words_ids\":",
          "\"early_stopping\":",
          "\"d_model\":"};
}

/// Reads the settings of the model, and if it is small, makes it without weights.
void load(const std::string& bytes) {
  const JsonFile file(bytes, "config.json");
  const HuggingFaceFamily family = family_in(file);
  const JsonFile config = family == HuggingFaceFamily::indictrans ? with_usual_keys(file) : file;
  ModelSettings settings = huggingface_settings(config, family);
  if (family == HuggingFaceFamily::indictrans) add_indictrans_settings(config, settings);
  for (const char* side : {"source_vocabulary", "target_vocabulary"}) settings[side] = "20";
  settings = ModelRegistry::instance().complete(std::move(settings));
  check(settings.at("type") == "transformer", "a model is of a type");
  if (settings.at("encoder_layers").size() + settings.at("decoder_layers").size() < 4)
    (void)ModelRegistry::instance().make(settings);
  const Generation generation = read_generation(config);
  check(generation.decoding.contains("beam"), "a search has a width");
}

}  // namespace
}  // namespace of_huggingface_config

Target huggingface_config_target() {
  using namespace of_huggingface_config;
  return {"huggingface_config", seeds, words, load};
}

}  // namespace nmt::fuzz
