#include "foreign/ctranslate2/ctranslate2_variables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "foreign/containers/ctranslate2_types.h"
#include "foreign/correspondence.h"
#include "foreign/ctranslate2/ctranslate2_names.h"
#include "foreign/layer_variants.h"
#include "foreign/position_table.h"
#include "tensor/half.h"
#include "tensor/quantize.h"

namespace nmt {
namespace {

// More positions than nmt translate uses by default.
constexpr std::int64_t kComputedRows = 4096;

template <class T>
std::vector<std::byte> bytes_as(const std::vector<float>& values) {
  return bytes_of(std::vector<T>(values.begin(), values.end()));
}

std::vector<std::byte> bytes_in(ElementType type, const std::vector<float>& values) {
  if (type == ElementType::f16) return bytes_as<Float16>(values);
  if (type == ElementType::bf16) return bytes_as<BFloat16>(values);
  return bytes_of(values);
}

/// Calls `use` with each row.
template <class Use>
void for_each_row(const WeightSource& matrix, const Use& use) {
  const std::vector<float> values = matrix.values();
  for (std::int64_t row = 0; row < matrix.rows; ++row) use(values.data() + row * matrix.columns);
}

std::vector<std::byte> quantized(const WeightSource& matrix) {
  std::vector<std::int8_t> integers(static_cast<std::size_t>(matrix.size()));
  std::int8_t* to = integers.data();
  for_each_row(matrix, [&](const float* row) {
    quantize_row(row, matrix.columns, to);
    to += matrix.columns;
  });
  return bytes_of(integers);
}

/// Returns the multiplier for each row that makes its elements integers; 1 for rows of zeros.
std::vector<std::byte> multipliers(const WeightSource& matrix) {
  std::vector<float> values;
  for_each_row(matrix, [&](const float* row) {
    float most = 0;
    for (std::int64_t i = 0; i < matrix.columns; ++i) most = std::max(most, std::abs(row[i]));
    values.push_back(most < kLeastQuantized ? 1 : kMostQuantized / most);
  });
  return bytes_of(values);
}

class Variables {
 public:
  Variables(const ModelSettings& settings, ElementType type) : settings_(settings), type_(type) {}

  std::vector<OutputTensor> all(const std::map<std::string, WeightSource>& parameters) {
    for (const auto& [name, weight] : theirs_from(ctranslate2_names(settings_), parameters))
      add(name, weight);
    positions(parameters);
    for (const std::string side : {"encoder/", "decoder/"}) attributes_of_both(side);
    number<std::int8_t>("encoder/embeddings_merge", ElementType::i8, 0);
    number<std::int8_t>("encoder/multi_query_attention", ElementType::i8, 0);
    for (const char* flag : {"alibi", "alibi_use_positive_positions", "scale_alibi"})
      number<std::int8_t>(std::string("decoder/") + flag, ElementType::i8, 0);
    number<std::int8_t>("decoder/start_from_zero_embedding", ElementType::i8,
                        text("decoder_start") == "zero");
    number<std::int16_t>("decoder/alignment_layer", ElementType::i16, -1);  // the last
    number<std::int16_t>("decoder/alignment_heads", ElementType::i16, 0);   // all
    return std::move(all_);
  }

 private:
  const std::string& text(const std::string& name) const { return settings_.at(name); }
  std::int64_t integer(const std::string& name) const { return integer_setting(settings_, name, 0, 1 << 24); }

  void add(const std::string& name, const WeightSource& weight) {
    if (!name.ends_with("weight")) {
      all_.push_back(
          {name, ElementType::f32, {weight.columns}, [weight] { return bytes_of(weight.values()); }});
      return;
    }
    const std::vector<std::int64_t> shape = {weight.rows, weight.columns};
    if (type_ == ElementType::i8) {
      all_.push_back({name, type_, shape, [weight] { return quantized(weight); }});
      all_.push_back({name + kCTranslate2Scale, ElementType::f32, {weight.rows}, [weight] {
                        return multipliers(weight);
                      }});
    } else {
      all_.push_back(
          {name, type_, shape, [weight, type = type_] { return bytes_in(type, weight.values()); }});
    }
  }

  void add_table(const std::string& side, const WeightSource& table) {
    all_.push_back({ctranslate2_positions(side), ElementType::f32, {table.rows, table.columns}, [table] {
                      return bytes_of(table.values());
                    }});
  }

  void positions(const std::map<std::string, WeightSource>& parameters) {
    const std::int64_t offset = integer("position_offset"), d_model = integer("d_model");
    const ComputedPositions kind = {text("positions"), offset};
    if (kind == ComputedPositions{"tensor2tensor", 1}) return;  // CTranslate2 computes these itself
    if (kind.kind == "learned") {
      const auto used = [&](const char* name) {
        return rows_of(parameters.at(name), offset, integer("max_positions") - offset);
      };
      add_table("encoder", used("source_positions.weight"));
      add_table("decoder", used("target_positions.weight"));
      return;
    }
    const WeightSource table = {kComputedRows, d_model,
                                [=] { return position_table(kind, kComputedRows, d_model); }};
    for (const char* side : {"encoder", "decoder"}) add_table(side, table);
  }

  template <class T>
  void number(const std::string& name, ElementType type, T value) {
    all_.push_back({name, type, {}, [value] { return bytes_of(std::vector<T>{value}); }});
  }

  void attributes_of_both(const std::string& side) {
    number(side + "num_heads", ElementType::i16, static_cast<std::int16_t>(integer("heads")));
    for (const char* key : {"norm", "activation"}) {
      const std::string name = name_there(Toolkit::ctranslate2, key, text(key));
      number(side + option_there(Toolkit::ctranslate2, key).name, ElementType::i8,
             static_cast<std::int8_t>(std::stoi(name)));
    }
    if (text("embedding_scale") == "sqrt") {
      number<std::int8_t>(side + "scale_embeddings", ElementType::i8, 1);
    } else {
      number(side + "scale_embeddings", ElementType::f32,
             static_cast<float>(real_setting(settings_, "embedding_scale", 0, 1e6)));
    }
  }

  const ModelSettings& settings_;
  ElementType type_;
  std::vector<OutputTensor> all_;
};

}  // namespace

std::vector<OutputTensor> ctranslate2_variables(const ModelSettings& settings,
                                                const std::map<std::string, WeightSource>& parameters,
                                                ElementType weights) {
  return Variables(settings, weights).all(parameters);
}

}  // namespace nmt
