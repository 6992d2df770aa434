// Attention as text, as pictures, and as a page.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "insight/attention_maps.h"

namespace nmt {

/// Returns one JSON object for a pair, without a line end: {"line", "source", "target", "target_input",
/// "log_probabilities", "encoder", "decoder", "cross"}. The last three exist if the pair has maps of the
/// kind: lists of {"layer", "head", "weights"}, with layers and heads counted from 1, and weights as a list
/// of rows of numbers with six decimals. See doc/attention.md.
std::string attention_json(const PairAttention& pair);

/// The header line of attention_table(), with a line end.
extern const char* const kAttentionTableHeader;
/// Returns one line per weight: line of the text, kind, layer, head, row, token of the row, column, token of
/// the column, weight, separated by tabs. Layers and heads count from 1, rows and columns from 0. In tokens,
/// a tab, a line end, a carriage return and a backslash become \t,
/// \n, \r and \\.
std::string attention_table(const PairAttention& pair);

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

/// Collects pairs. end() returns a drawing in one of picture_formats(): their sentences, all their maps with
/// tokens on both axes, the maps of a layer side by side, and a color bar.
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
