// Attention as a drawing.
#pragma once

#include <string>
#include <vector>

#include "insight/attention_writer.h"

namespace nmt {

/// Gathers pairs; end() is a drawing of all their maps, with tokens on both axes, those of a layer side by
/// side, in one of picture_formats().
class AttentionPicture final : public AttentionWriter {
 public:
  AttentionPicture(std::string title, std::string format)
      : title_(std::move(title)), format_(std::move(format)) {}

  std::string pair(const PairAttention& pair) override;
  std::string end() override;

 private:
  std::string title_, format_;
  std::vector<PairAttention> pairs_;
};

}  // namespace nmt
