#include "cli/commands/bleu_page.h"

#include <utility>

#include "cli/program.h"

namespace nmt {

BleuPage::BleuPage(const std::string& path, const std::vector<std::string>& systems,
                   const SegmentMetrics& metrics, int width)
    : path_(path),
      output_(path),
      metrics_(metrics),
      sums_(systems.size(), std::vector<Statistics>(metrics.size())),
      page_(systems, metrics.names(), width) {}

void BleuPage::add(const std::vector<Segment>& segments, const SegmentMetrics::Verdicts& verdicts) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    ScoredSegment scored{segments[i].source, segments[i].references, {}};
    for (std::size_t s = 0; s < sums_.size(); ++s) {
      ScoredTranslation translation{segments[i].hypotheses[s], {}, {}};
      for (std::size_t m = 0; m < metrics_.size(); ++m) {
        const SegmentVerdict& verdict = verdicts[m][s][i];
        nmt::add(sums_[s][m], verdict.counts);
        translation.scores.push_back(metrics_.segment_score(m, verdict.counts));
        if (metrics_.finds_errors(m)) translation.errors = verdict.errors;
      }
      scored.translations.push_back(std::move(translation));
    }
    page_.add(scored);
  }
}

void BleuPage::write() {
  std::vector<std::vector<Score>> scores;
  for (const std::vector<Statistics>& of_system : sums_) {
    scores.emplace_back();
    for (std::size_t m = 0; m < metrics_.size(); ++m)
      scores.back().push_back(metrics_[m].score(of_system[m]));
  }
  output_.write(page_.html(scores));
  output_.commit();
  if (page_.shown() < page_.added())
    log_info("'{}' shows the first {} of {} segments", path_, page_.shown(), page_.added());
}

}  // namespace nmt
