#include "foreign/huggingface/huggingface_weights.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "foreign/huggingface/huggingface_names.h"
#include "foreign/position_table.h"

namespace nmt {
namespace {

/// Returns each row in the new order.
std::vector<float> divided(const std::vector<float>& rows, std::int64_t d_model) {
  std::vector<float> divided(rows.size());
  const auto width = static_cast<std::size_t>(d_model);
  for (std::size_t row = 0; row < rows.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) divided[row + i / 2 + i % 2 * (width / 2)] = rows[row + i];
  }
  return divided;
}

/// Converts a weight whose input is the residual stream, or a table of it.
WeightSource with_halves_in(WeightSource weight) {
  const std::int64_t rows = weight.rows, d_model = weight.columns;
  return {rows, d_model, [weight = std::move(weight)](RowRange range) {
            return divided(weight.make(range), weight.columns);
          }};
}

/// Converts a weight whose output is the residual stream, or a vector of it.
WeightSource with_halves_out(const WeightSource& weight) {
  if (weight.rows == 1) return with_halves_in(weight);
  return transposed(with_halves_in(transposed(weight)));
}

bool ends_in(const std::string& name, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

std::map<std::string, WeightSource> with_halves(std::map<std::string, WeightSource> parameters) {
  for (auto& [name, weight] : parameters) {
    if (ends_in(name, {"embedding.weight", "output.weight", ".in_proj_weight", ".linear1.weight"})) {
      weight = with_halves_in(weight);
    } else if (ends_in(name, {".out_proj.weight", ".out_proj.bias", ".linear2.weight", ".linear2.bias"}) ||
               name.find("norm") != std::string::npos) {
      weight = with_halves_out(weight);
    }
  }
  return parameters;
}

namespace {

constexpr std::array<const char*, 2> kPositions = {"model.encoder.embed_positions.weight",
                                                   "model.decoder.embed_positions.weight"};

/// Returns the name under which the file contains a table; it may have several equal names.
std::string present_name(ForeignTensors& tensors, const std::string& name, const ModelSettings& settings) {
  const std::vector<std::string> names = names_of_table(name, settings);
  const auto found = std::ranges::find_if(names, [&](const std::string& n) { return tensors.has(n); });
  for (const std::string& other : names) tensors.ignore(other);
  return found == names.end() ? name : *found;
}

/// Returns these weights with the names that tables have in the file.
std::vector<Correspondence> names_in(ForeignTensors& tensors, const ModelSettings& settings,
                                     std::vector<Correspondence> names) {
  for (Correspondence& pair : names) {
    if (pair.ours.ends_with("embedding.weight")) pair.theirs = present_name(tensors, pair.theirs, settings);
  }
  return names;
}

/// Returns the rows of a table of words, which come first in the list.
std::string rows_of_table(ForeignTensors& tensors, const std::vector<Correspondence>& names,
                          const std::string& side) {
  const auto table = std::ranges::find_if(names, [&](const Correspondence& pair) {
    return pair.ours == "embedding.weight" || pair.ours == side + "_embedding.weight";
  });
  return std::to_string(tensors(table->theirs).rows);
}

/// MarianMTModel computes positions unless the file contains them.
void add_positions_of_file(ForeignTensors& tensors, ModelSettings& settings) {
  const WeightSource source = tensors(kPositions[0]), target = tensors(kPositions[1]);
  set_positions(computed_positions(source.values(), source.columns),
                computed_positions(target.values(), target.columns), settings);
}

/// Returns an element of the bias of logits, 0 if there is none.
float bias_of(ForeignTensors& tensors, std::int64_t id) {
  if (!tensors.has(kHuggingFaceBias)) return 0;
  const std::vector<float> bias = tensors(kHuggingFaceBias).values();
  return id < std::ssize(bias) ? bias[static_cast<std::size_t>(id)] : 0;
}

WeightSource masked(WeightSource bias, std::int64_t id) {
  return {bias.rows, bias.columns, [bias, id](RowRange) {
            std::vector<float> values = bias.values();
            values.at(static_cast<std::size_t>(id)) = kMaskingBias;
            return values;
          }};
}

/// Removes the last row, or the last element of a vector.
WeightSource shortened(const WeightSource& weight) {
  if (weight.rows > 1) return rows_of(weight, 0, weight.rows - 1);
  return transposed(rows_of(transposed(weight), 0, weight.columns - 1));
}

}  // namespace

void add_settings_of_tensors(ForeignTensors& tensors, HuggingFaceFamily family, ModelSettings& settings) {
  if (family == HuggingFaceFamily::marian && tensors.has(kPositions[0]))
    add_positions_of_file(tensors, settings);
  if (settings["positions"] == "learned")
    settings["max_positions"] = std::to_string(tensors(kPositions[0]).rows);
  const std::vector<Correspondence> tables = names_in(tensors, settings, huggingface_tables(settings));
  for (const char* side : {"source", "target"})
    settings[std::string(side) + "_vocabulary"] = rows_of_table(tensors, tables, side);
}

PaddingRow padding_row(ForeignTensors& tensors, const ModelSettings& settings, std::int64_t id,
                       bool is_renormalized) {
  const std::vector<Correspondence> tables = names_in(tensors, settings, huggingface_tables(settings));
  const WeightSource table = tensors(tables.front().theirs);
  if (!is_renormalized && bias_of(tensors, id) > kMaskingBias) return {PaddingRow::Use::kept, id};
  const std::vector<float> last = rows_of(table, table.rows - 1, 1).values();
  const bool is_zero = std::ranges::all_of(last, [](float x) { return x == 0; });
  const bool is_dropped = settings.at("tied_embeddings") == "all" && id == table.rows - 1 && is_zero;
  return {is_dropped ? PaddingRow::Use::dropped : PaddingRow::Use::masked, id};
}

std::map<std::string, WeightSource> huggingface_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings,
                                                        const PaddingRow& padding) {
  std::vector<Correspondence> names = names_in(tensors, settings, huggingface_names(settings));
  std::map<std::string, WeightSource> biases;
  if (settings.at("output_bias") == "true" && !tensors.has(kHuggingFaceBias)) {
    std::erase_if(names, [](const Correspondence& pair) { return pair.ours == "output.bias"; });
    biases["output.bias"] = filled(1, integer_setting(settings, "target_vocabulary", 1, 1 << 24), 0);
  }
  std::map<std::string, WeightSource> weights = ours_from(names, tensors);
  weights.merge(biases);
  if (padding.use == PaddingRow::Use::masked)
    weights["output.bias"] = masked(weights["output.bias"], padding.id);
  if (padding.use == PaddingRow::Use::dropped) {
    for (const char* name : {"embedding.weight", "output.bias"}) weights[name] = shortened(weights[name]);
  }
  for (const std::string side : {"model.encoder.", "model.decoder."}) {
    tensors.ignore(side + "embed_positions.weights");  // M2M-100 computes these
    tensors.ignore(side + "version");
  }
  tensors.check_all_asked_for();
  return weights;
}

}  // namespace nmt
