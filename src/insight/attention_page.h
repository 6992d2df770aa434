// Attention as a page of heat maps.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "insight/attention_writer.h"

namespace nmt {

/// Collects pairs; end() returns a self-contained page (pictures/page.h) with selectors of pair, kind, layer
/// and head. Weights are rounded to 4095ths, probabilities to five digits.
class AttentionPage final : public AttentionWriter {
 public:
  explicit AttentionPage(std::string model) : model_(std::move(model)) {}

  std::string pair(const PairAttention& pair) override;
  std::string end() override;

 private:
  std::string model_;
  nlohmann::ordered_json pairs_ = nlohmann::ordered_json::array();
};

}  // namespace nmt
