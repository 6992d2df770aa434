#include "foreign/marian/marian_names.h"

#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "common/error.h"
#include "foreign/marian/marian_recurrent_names.h"

namespace nmt {
namespace {

class Names {
 public:
  explicit Names(const ModelSettings& settings) : settings_(settings) {}

  std::vector<Correspondence> all() {
    embeddings();
    for (std::int64_t i = 0; i < integer("encoder_layers"); ++i) encoder_layer(i);
    for (const std::int64_t i : decoder_sets()) decoder_layer(i);
    output();
    return std::move(list_);
  }

 private:
  const std::string& text(const std::string& name) const { return settings_.at(name); }
  std::int64_t integer(const std::string& name) const { return integer_setting(settings_, name, 0, 1 << 24); }
  bool is_on(const std::string& name) const { return text(name) == "true"; }

  void same(const std::string& ours, const std::string& theirs) { list_.push_back({ours, theirs}); }
  void linear(const std::string& ours, const std::string& theirs, const std::string& letter) {
    list_.push_back({ours + ".weight", theirs + "_W" + letter, Form::transposed});
    same(ours + ".bias", theirs + "_b" + letter);
  }
  void layer_norm(const std::string& ours, const std::string& theirs, const std::string& end = "") {
    same(ours + ".weight", theirs + "_scale" + end);
    same(ours + ".bias", theirs + "_bias" + end);
  }

  /// Adds layer normalization before the sublayer of this number, after it, or both.
  void sublayer(const std::string& layer, int number, const std::string& theirs) {
    sublayer(layer, number, theirs, theirs);
  }
  void sublayer(const std::string& layer, int number, const std::string& before, const std::string& behind) {
    const bool pre = text("norm") == "pre" || text("norm") == "both";
    const bool post = text("norm") == "post" || text("norm") == "both";
    if (pre) layer_norm(fmt::format("{}.norm{}", layer, number), before + "_ln", "_pre");
    if (post) layer_norm(fmt::format("{}.{}norm{}", layer, pre ? "post_" : "", number), behind + "_ln");
  }

  void attention(const std::string& ours, const std::string& theirs) {
    int part = 0;
    for (const char letter : {'q', 'k', 'v'}) {
      list_.push_back(
          {ours + ".in_proj_weight", fmt::format("{}_W{}", theirs, letter), Form::transposed, part, 3});
      list_.push_back({ours + ".in_proj_bias", fmt::format("{}_b{}", theirs, letter), Form::same, part++, 3});
    }
    linear(ours + ".out_proj", theirs, "o");
  }

  void feed_forward(const std::string& ours, const std::string& theirs, std::int64_t layers) {
    for (std::int64_t i = 1; i <= layers; ++i)
      linear(fmt::format("{}.linear{}", ours, i), theirs, std::to_string(i));
  }

  /// The last matrix is omitted if its input is as wide as the model.
  void average_attention(const std::string& ours, const std::string& theirs) {
    const std::int64_t width = integer("average_d_ff") > 0 ? integer("average_d_ff") : integer("d_ff");
    const std::int64_t layers = integer("average_ffn_layers");
    feed_forward(ours, theirs, layers > 1 && width != integer("d_model") ? layers : layers - 1);
    if (!is_on("average_gate")) return;
    linear(ours + ".input_gate", theirs, "i");
    linear(ours + ".forget_gate", theirs, "f");
  }

  void ssru(const std::string& ours, const std::string& theirs) {
    list_.push_back({ours + ".in_proj.weight", theirs + "_W", Form::transposed});
    linear(ours + ".forget_gate", theirs, "f");
    if (is_on("ssru_projection")) linear(ours + ".out_proj", theirs, "o");
  }

  void encoder_layer(std::int64_t i) {
    const std::string ours = fmt::format("encoder.layers.{}", i), theirs = fmt::format("encoder_l{}", i + 1);
    attention(ours + ".self_attn", theirs + "_self");
    sublayer(ours, 1, theirs + "_self_Wo");
    feed_forward(ours, theirs + "_ffn", integer("ffn_layers"));
    sublayer(ours, 2, theirs + "_ffn_ffn");
  }

  void decoder_layer(std::int64_t i) {
    const std::string ours = fmt::format("decoder.layers.{}", i), theirs = fmt::format("decoder_l{}", i + 1);
    if (text("decoder_layer") == "average") {
      average_attention(ours + ".average", theirs + "_aan");
      sublayer(ours, 1, theirs + "_aan_ffn");
    } else if (text("decoder_layer") == "ssru") {
      ssru(ours + ".ssru", theirs + "_rnn");
      sublayer(ours, 1, theirs + "_rnn", theirs + "_rnn_ffn");
    } else {
      attention(ours + ".self_attn", theirs + "_self");
      sublayer(ours, 1, theirs + "_self_Wo");
    }
    attention(ours + ".multihead_attn", theirs + "_context");
    sublayer(ours, 2, theirs + "_context_Wo");
    const std::int64_t own = integer("decoder_ffn_layers");
    feed_forward(ours, theirs + "_ffn", own > 0 ? own : integer("ffn_layers"));
    sublayer(ours, 3, theirs + "_ffn_ffn");
  }

  /// Returns the sets of weights that the decoder layers use, each once.
  std::set<std::int64_t> decoder_sets() const {
    std::set<std::int64_t> sets;
    std::istringstream tied(text("tied_decoder_layers"));
    for (std::int64_t set = 0; tied >> set;) sets.insert(set - 1);
    if (!sets.empty()) return sets;
    for (std::int64_t i = 0; i < integer("decoder_layers"); ++i) sets.insert(i);
    return sets;
  }

  void embeddings() {
    const std::string& tying = text("tied_embeddings");
    if (tying == "all" || tying == "inputs") {
      same("embedding.weight", "Wemb");
    } else {
      same("source_embedding.weight", "encoder_Wemb");
      same("target_embedding.weight", "decoder_Wemb");
    }
    if (text("positions") == "learned") {
      same("source_positions.weight", "Wpos");
      same("target_positions.weight", "Wpos");
    }
    for (const std::string side : {"encoder", "decoder"}) {
      if (is_on("embedding_norm")) layer_norm(side + ".embedding_norm", side + "_emb_ln", "_pre");
    }
  }

  void output() {
    const bool has_final_norm =
        is_on("final_norm") || (text("final_norm") == "auto" && text("norm") == "pre");
    for (const std::string side : {"encoder", "decoder"}) {
      if (has_final_norm) layer_norm(side + ".norm", side + "_top_ln");
    }
    const std::string& tying = text("tied_embeddings");
    if (tying == "inputs" || tying == "none") same("output.weight", "decoder_ff_logit_out_Wt");
    if (is_on("output_bias")) same("output.bias", "decoder_ff_logit_out_b");
  }

  const ModelSettings& settings_;
  std::vector<Correspondence> list_;
};

}  // namespace

std::vector<Correspondence> marian_names(const ModelSettings& settings) {
  return settings.at("type") == "rnn" ? marian_recurrent_names(settings) : Names(settings).all();
}

}  // namespace nmt
