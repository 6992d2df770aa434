// Attention as a drawing.
#pragma once

#include <string>
#include <vector>

#include "insight/attention_writer.h"

namespace nmt {

/// Collects pairs; end() returns a drawing of their sentences and all their maps with tokens on both axes,
/// the maps of a layer side by side, and a color bar, in one of picture_formats().
class AttentionPicture final : public AttentionWriter {
 public:
  /// `stop`, which must outlive this object, can end the conversion to PNG early.
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
