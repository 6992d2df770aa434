// MetricXConfig: the checked settings of a MetricX model.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/settings.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// The generation of a MetricX model, which determines the texts that it reads and their form.
enum class MetricXKind : std::uint8_t {
  metricx_24,     // source and translation, and a reference if there is one
  metricx_23,     // translation and reference
  metricx_23_qe,  // translation and source
};

struct MetricXConfig {
  TransformerConfig network;  // an mT5
  MetricXKind kind;

  /// Throws ModelSettingError as TransformerConfig does.
  explicit MetricXConfig(const ModelSettings& settings);
};

/// Returns the settings of a MetricX model, except `type`.
const std::vector<ModelKey>& metricx_keys();

}  // namespace nmt
