#include "cli/commands/bleu_page.h"

#include <utility>

#include "cli/program.h"

namespace nmt {

BleuPage::BleuPage(const std::string& path, const std::vector<std::string>& systems,
                   const SegmentMetrics& metrics, int width)
    : path_(path), output_(path), metrics_(metrics), page_(systems, metrics.names(), width) {}

void BleuPage::add(const std::vector<Segment>& segments, const SegmentMetrics::Verdicts& verdicts) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    ScoredSegment scored{segments[i].source, segments[i].references, {}};
    for (std::size_t s = 0; s < segments[i].hypotheses.size(); ++s) {
      ScoredTranslation translation{segments[i].hypotheses[s], {}, {}};
      for (std::size_t m = 0; m < metrics_.size(); ++m) {
        const SegmentVerdict& verdict = verdicts[m][s][i];
        translation.scores.push_back(metrics_.segment_score(m, verdict.counts));
        if (metrics_.finds_errors(m)) translation.errors = verdict.errors;
      }
      scored.translations.push_back(std::move(translation));
    }
    page_.add(scored);
  }
}

void BleuPage::write(const std::vector<SystemVerdicts>& systems, const ReportSettings& report) {
  SegmentPage::Summary summary;
  for (const Verdict& verdict : systems[0].verdicts)
    summary.notes.push_back(verdict.score.name + ": " + verdict.score.signature_text());
  if (!report.test.empty()) summary.notes.push_back(about_p_values(report, systems[0].name));
  for (const Verdict& verdict : systems[0].verdicts) summary.metrics.push_back(verdict.score.name);
  for (const SystemVerdicts& system : systems) {
    summary.scores.emplace_back();
    for (const Verdict& verdict : system.verdicts) summary.scores.back().push_back(cell(verdict, report));
  }
  output_.write(page_.html(summary));
  output_.commit();
  if (page_.shown() < page_.added())
    log_info("'{}' shows the first {} of {} segments", path_, page_.shown(), page_.added());
}

}  // namespace nmt
