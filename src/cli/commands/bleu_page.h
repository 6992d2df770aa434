// The page that nmt bleu writes.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/bleu_report.h"
#include "cli/commands/segment_metrics.h"
#include "cli/files/output.h"
#include "insight/segment_page.h"

namespace nmt {

/// Collects the segments of all systems for a page.
class BleuPage {
 public:
  /// `width`: digits of scores after the decimal point. `metrics` must outlive this object. Throws Error if
  /// the page cannot be written to `path`.
  BleuPage(const std::string& path, const std::vector<std::string>& systems, const SegmentMetrics& metrics,
           int width);

  /// Adds segments and their verdicts.
  void add(const std::vector<Segment>& segments, const SegmentMetrics::Verdicts& verdicts);
  /// Writes the page with these scores of whole texts; a notice says if it does not show all segments. Call
  /// it once, last.
  void write(const std::vector<SystemVerdicts>& systems, const ReportSettings& report);

 private:
  std::string path_;
  Output output_;  // opened early, so that failure is reported before the work
  const SegmentMetrics& metrics_;
  SegmentPage page_;
};

}  // namespace nmt
