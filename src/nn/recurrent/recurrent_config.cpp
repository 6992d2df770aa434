#include "nn/recurrent/recurrent_config.h"

#include <initializer_list>
#include <string>

namespace nmt {
namespace {

constexpr std::int64_t kWidest = 1 << 24;  // keeps every product of two sizes far from overflow
constexpr std::int64_t kDeepest = 1000;
constexpr std::int64_t kCellsAroundAttention = 2;  // minimum and default

template <class Meaning>
Meaning recurrent_choice(const ModelSettings& settings, const std::string& name,
                         std::initializer_list<Meaning> meanings) {
  return chosen(recurrent_keys(), settings, name, meanings);
}

/// Replaces 0 by the width of the decoder's states.
std::int64_t encoder_d_state_of(const ModelSettings& settings, std::int64_t d_state) {
  const std::int64_t width = integer_setting(settings, "encoder_d_state", 0, kWidest);
  return width > 0 ? width : d_state;
}

/// Throws ModelSettingError for settings that contradict the kind of attention.
void check_attention(const RecurrentConfig& config) {
  if (config.attention == AlignmentScore::additive) {
    if (!config.input_feeding) return;
    throw ModelSettingError({"input_feeding", "attention"},
                            "input_feeding is for attention dot, general and concat; leave it out, or choose "
                            "one of them");
  }
  if (config.decoder_base_transition_depth != kCellsAroundAttention) {
    throw ModelSettingError({"decoder_base_transition_depth", "attention"},
                            "decoder_base_transition_depth is for attention additive alone, within a layer; "
                            "leave it out, or choose that");
  }
  if (config.attention == AlignmentScore::dot && config.encoder_width() != config.d_state) {
    throw ModelSettingError({"attention", "encoder_d_state", "d_state"},
                            "attention dot needs an encoder as wide as d_state {}, not {}; "
                            "choose general, or another encoder_d_state (such as half of d_state where the "
                            "encoder runs in two directions)",
                            config.d_state, config.encoder_width());
  }
}

}  // namespace

const std::vector<ModelKey>& recurrent_keys() {
  static const std::vector<ModelKey> keys = {
      {"d_embedding", "512", "width of the embeddings, and of the layer before the output"},
      {"d_state", "1024", "width of the states of the cells"},
      {"encoder_d_state", "0", "width of the states of the encoder. 0 means the value of d_state."},
      {"cell", "gru", "type of the recurrent cells", {"gru", "lstm"}},
      {"decoder_cell",
       "same",
       "type of the decoder's cells. same means the type of the encoder's.",
       {"same", "gru", "lstm"}},
      {"encoder_layers", "1", "number of encoder layers"},
      {"decoder_layers", "1", "number of decoder layers"},
      {"encoder_directions",
       "bidirectional",
       "directions of the encoder layers. bidirectional has one stack for each direction. bi-unidirectional "
       "runs only the first layer both ways. alternating has two stacks whose layers change direction each "
       "time.",
       {"bidirectional", "bi-unidirectional", "alternating"}},
      {"encoder_transition_depth", "1", "number of cells that a state passes per step of an encoder layer"},
      {"attention",
       "additive",
       "attention of the decoder over the source. additive attention is within the first layer (Bahdanau et "
       "al., 2015); dot, general and concat are after the last layer (Luong et al., 2015).",
       {"additive", "dot", "general", "concat"}},
      {"input_feeding",
       "false",
       "feed the output of the last layer and of attention for a token back as input for the next token. Not "
       "with additive attention.",
       {"true", "false"},
       {"attention", {"dot", "general", "concat"}}},
      {"decoder_base_transition_depth",
       "2",
       "number of cells in the first decoder layer with additive attention. One comes before the attention, "
       "the others after it.",
       {},
       {"attention", {"additive"}}},
      {"decoder_high_transition_depth", "1", "number of cells in each other decoder layer"},
      {"skip_connections",
       "false",
       "residual connections around all layers of a stack but the first",
       {"true", "false"}},
      {"layer_normalization",
       "false",
       "layer normalization of the sums within cells and layers",
       {"true", "false"}},
      tying_key(),
      {"output_bias", "true", "a bias of the output layer", {"true", "false"}},
      {"decoder_start", "bos", "first decoder input: BOS, a zero vector, or EOS", {"bos", "zero", "eos"}},
      source_direction_key(),
      target_direction_key(),
      {"layer_norm_epsilon",
       "1e-09",
       "number added to the variance in layer normalization",
       {},
       {"layer_normalization", {"true"}}},
      {"source_vocabulary", "", "number of source pieces. It comes from the vocabulary."},
      {"target_vocabulary", "", "number of target pieces. It comes from the vocabulary."},
  };
  return keys;
}

RecurrentConfig::RecurrentConfig(const ModelSettings& s)
    : d_embedding(integer_setting(s, "d_embedding", 1, kWidest)),
      d_state(integer_setting(s, "d_state", 1, kWidest)),
      encoder_d_state(encoder_d_state_of(s, d_state)),
      encoder_layers(integer_setting(s, "encoder_layers", 1, kDeepest)),
      decoder_layers(integer_setting(s, "decoder_layers", 1, kDeepest)),
      source_vocabulary(integer_setting(s, "source_vocabulary", 1, kWidest)),
      target_vocabulary(integer_setting(s, "target_vocabulary", 1, kWidest)),
      encoder_transition_depth(integer_setting(s, "encoder_transition_depth", 1, kDeepest)),
      decoder_base_transition_depth(
          integer_setting(s, "decoder_base_transition_depth", kCellsAroundAttention, kDeepest)),
      decoder_high_transition_depth(integer_setting(s, "decoder_high_transition_depth", 1, kDeepest)),
      encoder_cell(recurrent_choice(s, "cell", {RecurrentCell::gru, RecurrentCell::lstm})),
      decoder_cell(
          recurrent_choice(s, "decoder_cell", {encoder_cell, RecurrentCell::gru, RecurrentCell::lstm})),
      encoder_directions(
          recurrent_choice(s, "encoder_directions",
                           {EncoderDirections::bidirectional, EncoderDirections::bi_unidirectional,
                            EncoderDirections::alternating})),
      attention(recurrent_choice(
          s, "attention",
          {AlignmentScore::additive, AlignmentScore::dot, AlignmentScore::general, AlignmentScore::concat})),
      input_feeding(recurrent_choice(s, "input_feeding", {true, false})),
      skip_connections(recurrent_choice(s, "skip_connections", {true, false})),
      layer_normalization(recurrent_choice(s, "layer_normalization", {true, false})),
      layer_norm_epsilon(real_setting(s, "layer_norm_epsilon", 0, 1)),
      tying(tying_of(s)),
      output_bias(recurrent_choice(s, "output_bias", {true, false})),
      decoder_start(
          recurrent_choice(s, "decoder_start", {DecoderStart::bos, DecoderStart::zero, DecoderStart::eos})),
      source_direction(source_direction_of(s)),
      target_direction(target_direction_of(s)) {
  check_attention(*this);
}

}  // namespace nmt
