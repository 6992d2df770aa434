// Marian's options for recurrent models.
#include "cli/marian/conversion.h"

namespace nmt {
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
