#include "nn/presets.h"

#include <map>
#include <set>
#include <string>

namespace nmt {
namespace {

using Settings = std::map<std::string, std::string>;

/// With positions and a start as Marian has them, so that what runs its models runs these.
Settings student_model(const std::string& d_model, const std::string& d_ff) {
  return {{"d_model", d_model},     {"d_ff", d_ff},
          {"heads", "8"},           {"encoder_layers", "6"},
          {"decoder_layers", "2"},  {"decoder_layer", "ssru"},
          {"norm", "post"},         {"positions", "tensor2tensor"},
          {"decoder_start", "zero"}};
}

/// What a larger model has said is the same whenever it comes, and is learned as it is.
Settings student_training() {
  return {{"dropout", "0"},         {"attention_dropout", "0"}, {"activation_dropout", "0"},
          {"label_smoothing", "0"}, {"warmup", "16000"},        {"batch_tokens", "25000"}};
}

}  // namespace

std::vector<Preset> transformer_presets() {
  return {
      {"transformer-tiny",
       "2+2 layers, d_model 128: minutes on a laptop",
       {{"d_model", "128"},
        {"d_ff", "512"},
        {"heads", "4"},
        {"encoder_layers", "2"},
        {"decoder_layers", "2"},
        {"norm", "pre"}},
       {{"dropout", "0.1"},
        {"attention_dropout", "0"},
        {"activation_dropout", "0"},
        {"label_smoothing", "0.1"},
        {"warmup", "1000"},
        {"batch_tokens", "3000"}}},
      {"transformer-small",
       "3+3 layers, d_model 256: for tens of thousands of pairs",
       {{"d_model", "256"},
        {"d_ff", "1024"},
        {"heads", "4"},
        {"encoder_layers", "3"},
        {"decoder_layers", "3"},
        {"norm", "pre"}},
       {{"dropout", "0.2"},
        {"attention_dropout", "0"},
        {"activation_dropout", "0"},
        {"label_smoothing", "0.1"},
        {"warmup", "2000"},
        {"batch_tokens", "3000"}}},
      {"transformer-base",
       "6+6 layers, d_model 512: the paper's base model",
       {{"d_model", "512"},
        {"d_ff", "2048"},
        {"heads", "8"},
        {"encoder_layers", "6"},
        {"decoder_layers", "6"},
        {"norm", "post"}},
       {{"dropout", "0.1"},
        {"attention_dropout", "0.1"},
        {"activation_dropout", "0.1"},
        {"label_smoothing", "0.1"},
        {"warmup", "4000"},
        {"batch_tokens", "25000"},
        {"steps", "100000"}}},
      {"transformer-big",
       "6+6 layers, d_model 1024: the paper's big model",
       {{"d_model", "1024"},
        {"d_ff", "4096"},
        {"heads", "16"},
        {"encoder_layers", "6"},
        {"decoder_layers", "6"},
        {"norm", "post"}},
       {{"dropout", "0.3"},
        {"attention_dropout", "0.3"},
        {"activation_dropout", "0.3"},
        {"label_smoothing", "0.1"},
        {"warmup", "4000"},
        {"batch_tokens", "25000"},
        {"steps", "300000"}}},
      {"student-tiny",
       "6+2 layers, SSRU in the decoder, d_model 256: a fast model that learns from the translations of a "
       "larger one",
       student_model("256", "1536"), student_training()},
      {"student-base", "the same, d_model 512", student_model("512", "2048"), student_training()},
  };
}

std::vector<Preset> language_model_presets() {
  const auto model = [](const std::string& layers, const std::string& d_model, const std::string& d_ff,
                        const std::string& heads) {
    return Settings{{"type", "lm"},   {"d_model", d_model},       {"d_ff", d_ff},
                    {"heads", heads}, {"decoder_layers", layers}, {"norm", "pre"}};
  };
  // What a language model is measured by is its perplexity, which smoothed labels spoil.
  const auto training = [](const std::string& dropout, const std::string& warmup,
                           const std::string& batch_tokens) {
    return Settings{{"dropout", dropout},     {"attention_dropout", "0"}, {"activation_dropout", "0"},
                    {"label_smoothing", "0"}, {"warmup", warmup},         {"batch_tokens", batch_tokens},
                    {"valid_beam", "0"}};
  };
  return {
      {"lm-small", "a language model of 3 layers, d_model 256: for tens of thousands of sentences",
       model("3", "256", "1024", "4"), training("0.2", "2000", "3000")},
      {"lm-base", "a language model of 6 layers, d_model 512: for millions", model("6", "512", "2048", "8"),
       training("0.1", "4000", "25000")},
  };
}

std::vector<Preset> recurrent_presets() {
  return {
      {"rnn",
       "1+1 layers of GRU, embeddings of 512, states of 1024",
       {{"type", "rnn"}, {"d_embedding", "512"}, {"d_state", "1024"}},
       {{"dropout", "0.2"},
        {"attention_dropout", "0"},
        {"activation_dropout", "0.2"},
        {"label_smoothing", "0.1"},
        {"clip_norm", "1"},
        {"warmup", "4000"},
        {"batch_tokens", "10000"}}},
      {"rnn-small",
       "1+1 layers of GRU, embeddings of 256, states of 512: for tens of thousands of pairs",
       {{"type", "rnn"}, {"d_embedding", "256"}, {"d_state", "512"}},
       {{"dropout", "0.2"},
        {"attention_dropout", "0"},
        {"activation_dropout", "0.2"},
        {"label_smoothing", "0.1"},
        {"clip_norm", "1"},
        {"warmup", "2000"},
        {"batch_tokens", "3000"}}},
      {"rnn-deep",
       "4+4 layers of GRU with deep transitions, skip connections and layer normalization",
       {{"type", "rnn"},
        {"d_embedding", "512"},
        {"d_state", "1024"},
        {"encoder_layers", "4"},
        {"encoder_directions", "alternating"},
        {"encoder_transition_depth", "2"},
        {"decoder_layers", "4"},
        {"decoder_base_transition_depth", "4"},
        {"decoder_high_transition_depth", "2"},
        {"skip_connections", "true"},
        {"layer_normalization", "true"}},
       {{"dropout", "0.2"},
        {"attention_dropout", "0"},
        {"activation_dropout", "0.2"},
        {"label_smoothing", "0.1"},
        {"clip_norm", "1"},
        {"warmup", "8000"},
        {"batch_tokens", "10000"}}},
  };
}

bool fits_corpus(const std::string& preset) {
  static const std::set<std::string> presets = {"transformer-tiny", "transformer-small", "rnn",
                                                "rnn-small",        "rnn-deep",          "lm-small"};
  return presets.contains(preset);
}

}  // namespace nmt
