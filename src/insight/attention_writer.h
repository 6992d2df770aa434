// The forms in which attention is written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/process/stop_request.h"
#include "insight/attention_maps.h"

namespace nmt {

/// Turns pairs into a document, whose text is that of all pair() in order and of end(), which comes last.
class AttentionWriter {
 public:
  virtual ~AttentionWriter() = default;
  virtual std::string pair(const PairAttention& pair) = 0;
  virtual std::string end() = 0;

 protected:
  AttentionWriter() = default;
  AttentionWriter(const AttentionWriter&) = default;
  AttentionWriter& operator=(const AttentionWriter&) = default;
};

/// "html", "svg", "png", "json", "tsv".
const std::vector<std::string>& attention_formats();

/// Whether all that is written stands on one drawing, so that it should not be much.
bool is_attention_picture(const std::string& format);

/// A writer of one of these formats. What is for people names the `model`. `stop` must outlive it.
std::unique_ptr<AttentionWriter> make_attention_writer(const std::string& format, const std::string& model,
                                                       const StopRequest& stop = never_stopped());

}  // namespace nmt
