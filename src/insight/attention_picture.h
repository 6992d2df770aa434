// Attention as a drawing.
#pragma once

#include <string>
#include <vector>

#include "insight/attention_writer.h"

namespace nmt {

/// Gathers pairs; end() is a drawing of all their maps, with tokens on both axes, those of a layer side by
/// side: SVG, or PNG (see png_of).
class AttentionPicture final : public AttentionWriter {
 public:
  AttentionPicture(std::string title, bool is_png) : title_(std::move(title)), is_png_(is_png) {}

  std::string pair(const PairAttention& pair) override;
  std::string end() override;

 private:
  std::string title_;
  bool is_png_;
  std::vector<PairAttention> pairs_;
};

}  // namespace nmt
