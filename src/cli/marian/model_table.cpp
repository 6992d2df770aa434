#include <algorithm>
#include <utility>

#include "cli/marian/conversion.h"
#include "common/text/spelling.h"
#include "foreign/layer_variants.h"
#include "foreign/marian/marian_operations.h"

namespace nmt {
namespace {

void convert_type(MarianConversion& to) {
  const std::string type = to.text("type");
  if (type != "transformer" && !to.is_recurrent())
    return to.refuse("only transformer, s2s and amun are supported");
  to.give("type", type == "transformer" ? type : "rnn");
  to.give("decoder-start", "zero");
}

void convert_width(MarianConversion& to) {
  to.give(to.is_recurrent() ? "d-embedding" : "d-model", to.text("dim-emb"));
}

void convert_tied_embeddings(MarianConversion& to) {
  const bool output = to.is_on("tied-embeddings"), inputs = to.is_on("tied-embeddings-src");
  const bool all = to.is_on("tied-embeddings-all") || (output && inputs);
  to.give("tied-embeddings", all ? "all" : output ? "target" : inputs ? "inputs" : "none");
}

void convert_output_bias(MarianConversion& to) {
  to.give("output-bias", to.is_on("output-omit-bias") ? "false" : "true");
}

void convert_direction(MarianConversion& to) {
  const char* direction = to.is_on("right-left") ? "right-to-left" : "left-to-right";
  for (const char* side : {"source-direction", "target-direction"}) to.give(side, direction);
}

void convert_variant(MarianConversion& to) {
  const MarianOption& option = to.option();
  const std::string key = underscored(option.settings.front());
  const auto value = value_here(Toolkit::marian, key, to.text(option.name));
  if (!value) return to.refuse("expected one of " + join(names_there(Toolkit::marian, key), ", "));
  to.give(option.settings.front(), *value);
}

/// Gives a setting that a switch of Marian states.
void give_switch(MarianConversion& to, const std::string& setting) {
  const bool is_on = to.is_on(option_there(Toolkit::marian, underscored(setting)).name);
  to.give(setting, *value_here(Toolkit::marian, underscored(setting), is_on ? "true" : "false"));
}

void convert_average(MarianConversion& to) {
  const std::string own = "transformer-aan-activation", common = "transformer-ffn-activation";
  if (to.text(own) != to.text(common))
    to.refuse(to.given_of({own, common}), fmt::format("{} is {}, but {} is {}; both are the same here", own,
                                                      to.text(own), common, to.text(common)));
  convert_variant(to);
  to.give_from("transformer-dim-aan", "average-d-ff", to.text("transformer-dim-aan"));
  to.give_from("transformer-aan-depth", "average-ffn-layers", to.text("transformer-aan-depth"));
  give_switch(to, "average-gate");
}

void convert_ssru(MarianConversion& to) {
  if (to.text("dec-cell") != "ssru")
    return to.refuse(to.given_of({"dec-cell", to.option().name}), "ssru is the one dec-cell there is");
  convert_variant(to);
  give_switch(to, "ssru-projection");
}

void convert_decoder_layer(MarianConversion& to) {
  const auto layer = value_here(Toolkit::marian, "decoder_layer", to.text(to.option().name));
  if (layer == "average") return convert_average(to);
  if (layer == "ssru") return convert_ssru(to);
  convert_variant(to);
}

void convert_tied_layers(MarianConversion& to) {
  const std::vector<std::string> sets = to.texts("transformer-tied-layers");
  if (sets.empty()) return;
  to.give("tied-decoder-layers", join(sets, " "));
  to.give("decoder-layers", std::to_string(sets.size()));
}

/// Whether these operations include dropout with a rate above 0.
bool has_dropout(MarianConversion& to, const std::string& operations) {
  return to.number("transformer-dropout") > 0 && operations.find('d') != std::string::npos;
}

/// Gives the kind of normalization, which is the same at all places.
void convert_norm_kind(MarianConversion& to) {
  std::string all;
  for (const ToolkitOption& option : operation_options()) all += to.text(option.name);
  const auto kind = kind_of_operations(all);
  if (!kind) return to.refuse("all normalizations are of one kind, n or r");
  to.give("norm-kind", *kind);
}

void convert_norm(MarianConversion& to) {
  const std::string before = to.text(kMarianBefore), behind = to.text(kMarianBehind);
  const auto norm = norm_of_operations(before, behind);
  const bool is_dropped_first = to.number("transformer-dropout") == 0 || behind.starts_with("da");
  if (!norm || !is_dropped_first || has_dropout(to, before)) {
    const bool is_before = has_dropout(to, before) || !to.is_given(kMarianBehind);
    return to.refuse(is_before ? kMarianBefore : kMarianBehind,
                     fmt::format("no such operations around layers: {} before and {} after", quoted(before),
                                 quoted(behind)));
  }
  to.give("norm", *norm);
  convert_norm_kind(to);
}

/// Gives the setting for the operations at the place that the option is about.
void convert_operations(MarianConversion& to, const char* place) {
  const MarianOption& option = to.option();
  const auto value = value_of_operations(underscored(option.settings.front()), to.text(option.name));
  if (!value) return to.refuse(fmt::format("no such operations after {}", place));
  to.give(option.settings.front(), *value);
}

void convert_final_operations(MarianConversion& to) {
  if (has_dropout(to, to.text(to.option().name))) return to.refuse("no dropout after the last layer");
  convert_operations(to, "the last layer");
}

void convert_embedding_operations(MarianConversion& to) {
  const bool is_dropped_last =
      to.number("transformer-dropout") == 0 || to.text(to.option().name).ends_with('d');
  if (!is_dropped_last) return to.refuse("dropout is the last operation after embeddings");
  convert_operations(to, "embeddings");
}

/// Marian does not scale embeddings if positions are learned, or if there are none.
void convert_positions(MarianConversion& to) {
  const bool are_none = to.is_on(option_there(Toolkit::marian, "positions").name);
  const bool are_learned = to.is_on("transformer-train-position-embeddings");
  to.give("positions", are_none ? "none" : are_learned ? "learned" : "tensor2tensor");
  if (are_none || are_learned) to.give("embedding-scale", "1");
}

/// Returns the options of other model types.
MarianOptions options_of_other_types() {
  return {idle("bert-mask-symbol", "[MASK]"),
          idle("bert-sep-symbol", "[SEP]"),
          idle("bert-class-symbol", "[CLS]"),
          idle("bert-masking-fraction", "0.15"),
          idle("bert-train-type-embeddings", "true"),
          idle("bert-type-vocab-size", "2"),
          idle("comet-final-sigmoid", "false"),
          idle("comet-stop-grad", "false"),
          idle("comet-mix", "false"),
          idle("comet-mix-norm", "false"),
          idle("comet-pool", "avg"),
          idle("comet-mix-transformation", "softmax"),
          idle("comet-dropout", "0.1"),
          idle("comet-mixup", "0"),
          idle("comet-mixup-reg", "false"),
          idle("comet-augment-bad", "0"),
          idle("comet-pooler-ffn", "2048 1024"),
          idle("comet-prepend-zero", "false"),
          idle("comet-use-separator", "false")};
}

/// Returns the options that no model of nmt supports.
MarianOptions missing_options() {
  return {needed("input-types", ""),
          needed("input-reorder", ""),
          needed("input-join-fields", "false"),
          needed("factors-dim-emb", "0"),
          needed("factors-combine", "sum"),
          needed("lemma-dependency", ""),
          needed("lemma-dim-emb", "0"),
          needed("alibi", "false"),
          idle("separator-symbol", "[eos]"),
          needed("ulr", "false"),
          idle("ulr-query-vectors", ""),
          idle("ulr-keys-vectors", ""),
          idle("ulr-trainable-transformation", "false"),
          idle("ulr-dim-emb", "0"),
          idle("ulr-dropout", "0"),
          idle("ulr-softmax-temperature", "1")};
}

/// Returns the options of all model types.
MarianOptions common_options() {
  return {
      converted("type", "amun", {"type", "decoder-start"}, convert_type),
      elsewhere("dim-vocabs"),
      converted("dim-emb", "512", {"d-model", "d-embedding"}, convert_width),
      same("enc-depth", "1", "encoder-layers"),
      same("dec-depth", "1", "decoder-layers"),
      converted("tied-embeddings", "false", {"tied-embeddings"}, convert_tied_embeddings),
      part("tied-embeddings-src", "false", {"tied-embeddings"}),
      part("tied-embeddings-all", "false", {"tied-embeddings"}),
      converted("output-omit-bias", "false", {"output-bias"}, convert_output_bias),
      converted("right-left", "false", {"source-direction", "target-direction"}, convert_direction),
  };
}

/// Returns the option that states a setting in the table of variants.
MarianOption variant(const char* setting, void (*convert)(MarianConversion&)) {
  const auto& [name, usual] = option_there(Toolkit::marian, underscored(setting));
  return converted(name.c_str(), usual.c_str(), {setting}, convert);
}

/// Returns such an option, which the function of another one reads.
MarianOption variant_part(const char* setting) {
  const auto& [name, usual] = option_there(Toolkit::marian, underscored(setting));
  return part(name.c_str(), usual.c_str(), {setting});
}

MarianOptions transformer_options() {
  return {
      same("transformer-heads", "8", "heads"),
      same("transformer-dim-ffn", "2048", "d-ff"),
      same("transformer-decoder-dim-ffn", "0", "decoder-d-ff"),
      same("transformer-ffn-depth", "2", "ffn-layers"),
      same("transformer-decoder-ffn-depth", "0", "decoder-ffn-layers"),
      variant("activation", convert_variant),
      variant("decoder-layer", convert_decoder_layer),
      variant_part("ssru-projection"),
      part("transformer-dim-aan", "2048", {"average-d-ff"}),
      part("transformer-aan-depth", "2", {"average-ffn-layers"}),
      part("transformer-aan-activation", "swish", {"activation"}),
      variant_part("average-gate"),
      converted("transformer-tied-layers", "", {"tied-decoder-layers", "decoder-layers"},
                convert_tied_layers),
      idle("transformer-guided-alignment-layer", "last"),
      converted(kMarianBefore, "", {"norm", "norm-kind"}, convert_norm),
      part(kMarianBehind, "dan", {"norm", "norm-kind"}),
      variant("embedding-norm", convert_embedding_operations),
      variant("final-norm", convert_final_operations),
      converted("transformer-train-position-embeddings", "false", {"positions", "embedding-scale"},
                convert_positions),
      part(option_there(Toolkit::marian, "positions").name.c_str(), "false",
           {"positions", "embedding-scale"}),
      needed("transformer-no-projection", "false"),
      needed("transformer-pool", "false"),
      needed("transformer-depth-scaling", "false"),
      needed("transformer-attention-mask", "default"),
      needed("transformer-alibi-shift", "false"),
      needed("transformer-alibi-trainable", "false"),
      needed("transformer-no-bias", "false"),
      needed("transformer-no-affine", "false"),
  };
}

}  // namespace

const MarianOptions& marian_model_options() {
  static const MarianOptions table = [] {
    MarianOptions all = common_options();
    for (const MarianOptions& more :
         {of_types({"transformer"}, transformer_options()), marian_recurrent_options(),
          options_of_other_types(), missing_options()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return table;
}

namespace {

constexpr const char* kCells = "gru and lstm are there";

bool is_known_cell(const std::string& cell) {
  return cell == "gru" || cell == "lstm";
}

void convert_encoder_cell(MarianConversion& to) {
  const std::string cell = to.text("enc-cell");
  if (!is_known_cell(cell)) return to.refuse(kCells);
  to.give("cell", cell);
}

/// In a Transformer, this option belongs to transformer-decoder-autoreg.
void convert_decoder_cell(MarianConversion& to) {
  if (!to.is_recurrent()) return;
  const std::string cell = to.text("dec-cell");
  if (!is_known_cell(cell)) return to.refuse(kCells);
  to.give("decoder-cell", cell);
}

void convert_directions(MarianConversion& to) {
  const std::string directions = to.text("enc-type");
  if (directions != "bidirectional" && directions != "bi-unidirectional" && directions != "alternating")
    return to.refuse("only bidirectional, bi-unidirectional and alternating are supported");
  to.give("encoder-directions", directions);
}

void convert_base_depth(MarianConversion& to) {
  if (to.number("dec-cell-base-depth") < 2) return to.refuse("a cell before attention and one after it");
  to.give("decoder-base-transition-depth", to.text("dec-cell-base-depth"));
}

/// Rejects operations inside the recurrent layers of a Transformer, if it has any.
void refuse_inside_of_layers(MarianConversion& to) {
  if (!to.is_changed()) return;
  if (to.text("transformer-decoder-autoreg") != "rnn") return to.leave_out();
  to.refuse("an SSRU has none");
}

void convert_layer_normalization(MarianConversion& to) {
  if (!to.is_recurrent()) return refuse_inside_of_layers(to);
  to.give("layer-normalization", to.is_on("layer-normalization") ? "true" : "false");
}

/// Marian drops the same elements in all steps, including those of states.
void convert_dropout(MarianConversion& to) {
  if (!to.is_recurrent()) return refuse_inside_of_layers(to);
  if (to.number("dropout-rnn") > 0) return to.refuse("dropout of states; give --dropout, which is of layers");
  to.give("dropout", "0");
  to.give("activation-dropout", "0");
}

/// Returns the options that only recurrent models have.
MarianOptions own_options() {
  return {same("dim-rnn", "1024", "d-state"),
          converted("enc-type", "bidirectional", {"encoder-directions"}, convert_directions),
          converted("enc-cell", "gru", {"cell"}, convert_encoder_cell),
          same("enc-cell-depth", "1", "encoder-transition-depth"),
          converted("dec-cell-base-depth", "2", {"decoder-base-transition-depth"}, convert_base_depth),
          same("dec-cell-high-depth", "1", "decoder-high-transition-depth"),
          same_switch("skip", "skip-connections"),
          needed("best-deep", "false", {"preset"})};
}

/// Returns the options that Transformers with recurrent layers share.
MarianOptions shared_options() {
  return {converted("dec-cell", "gru", {"decoder-cell", "decoder-layer"}, convert_decoder_cell),
          converted("layer-normalization", "false", {"layer-normalization"}, convert_layer_normalization),
          converted("dropout-rnn", "0", {"dropout", "activation-dropout"}, convert_dropout)};
}

}  // namespace

const MarianOptions& marian_recurrent_options() {
  static const MarianOptions table = [] {
    MarianOptions all = of_types(marian_recurrent_types(), own_options());
    std::vector<std::string> types = marian_recurrent_types();
    types.emplace_back("transformer");
    const MarianOptions shared = of_types(types, shared_options());
    all.insert(all.end(), shared.begin(), shared.end());
    return all;
  }();
  return table;
}

}  // namespace nmt
