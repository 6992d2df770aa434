// Output formats of attention.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/stop_request.h"
#include "insight/attention_maps.h"

namespace nmt {

/// Converts pairs to a document: the results of pair() in order, followed by the result of end().
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

/// Returns the formats: "html", "svg", "png", "json", "tsv".
const std::vector<std::string>& attention_formats();

/// Whether a format is one drawing, which should not contain much.
bool is_attention_picture(const std::string& format);

/// Returns a writer of one of these formats. Formats for people show the name `model`. `stop` must outlive
/// the writer.
std::unique_ptr<AttentionWriter> make_attention_writer(const std::string& format, const std::string& model,
                                                       const StopRequest& stop = never_stopped());

}  // namespace nmt
