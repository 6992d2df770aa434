// Attention as a drawing.
#pragma once

#include <string>
#include <vector>

#include "insight/attention_writer.h"

namespace nmt {

/// Gathers pairs; end() is a drawing of their sentences and all their maps, with tokens on both axes, those
/// of a layer side by side, and of what colours mean, in one of picture_formats().
class AttentionPicture final : public AttentionWriter {
 public:
  /// `stop`, which must outlive this: whether making PNG is to end early.
  AttentionPicture(std::string model, std::string format, const StopRequest& stop)
      : model_(std::move(model)), format_(std::move(format)), stop_(stop) {}

  std::string pair(const PairAttention& pair) override;
  std::string end() override;

 private:
  std::string model_, format_;
  const StopRequest& stop_;
  std::vector<PairAttention> pairs_;
};

}  // namespace nmt
