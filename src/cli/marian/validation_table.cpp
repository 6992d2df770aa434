// Marian's options for validation.
#include <algorithm>
#include <iterator>
#include <map>

#include "cli/marian/conversion.h"
#include "common/text/spelling.h"
#include "train/run/best.h"

namespace nmt {
namespace {

/// Whether there is a validation text; without one, other options have no effect.
bool validates(const MarianConversion& to) {
  return !to.texts("valid-sets").empty() || to.is_overridden({"valid-source", "valid-tsv"});
}

/// Returns the figure that ranks models as Marian's metric does; empty if there is none.
std::string figure_of(const std::string& metric) {
  static const std::map<std::string, std::string> figures = {
      {"cross-entropy", "perplexity"}, {"ce-mean-words", "perplexity"},
      {"perplexity", "perplexity"},    {"bleu", "bleu"},
      {"bleu-detok", "bleu"},          {"chrf", "chrf"},
      {"translation", kCommandFigure}};
  const auto found = figures.find(metric);
  return found == figures.end() ? "" : found->second;
}

void convert_valid_sets(MarianConversion& to) {
  const std::vector<std::string> paths = to.paths("valid-sets");
  if (paths.empty() || to.is_overridden(to.option().settings)) return;
  if (to.is_on("tsv") && paths.size() == 1) return to.give("valid-tsv", paths[0]);
  if (paths.size() != 2 || to.is_on("tsv")) return to.refuse("two files, or one with tsv");
  to.give("valid-source", paths[0]);
  to.give("valid-target", paths[1]);
}

void convert_valid_frequency(MarianConversion& to) {
  if (!validates(to)) return;
  to.give("valid-every", format_interval(to.interval("valid-freq")));
}

/// Whether a command measures translations, which makes Marian's metric "translation" a figure.
bool has_command(const MarianConversion& to) {
  return !to.text("valid-script-path").empty() || to.is_overridden({"valid-command"});
}

/// The first metric decides when to stop. Translations are made if a metric needs them; their BLEU is always
/// logged.
void convert_metrics(MarianConversion& to) {
  if (!validates(to)) return;
  const std::vector<std::string> metrics = to.texts("valid-metrics");
  std::vector<std::string> figures;
  for (const std::string& metric : metrics) {
    figures.push_back(figure_of(metric));
    if (figures.back().empty()) return to.refuse("there is no " + metric);
    if (figures.back() == kCommandFigure && !has_command(to))
      return to.refuse(metric + " has no script; give --valid-command");
  }
  const bool has_translations =
      std::ranges::any_of(figures, [](const std::string& figure) { return figure != "perplexity"; });
  to.give("valid-beam", has_translations ? to.text("beam-size") : "0");
  if (std::ranges::count(figures, "chrf") > 0) to.give("valid-metrics", "chrf");
  if (!figures.empty()) to.give("best-by", figures.front());
}

/// Marian also runs `SCRIPT ARGUMENTS FILE` in the shell as written.
void convert_script(MarianConversion& to) {
  std::vector<std::string> words = to.paths("valid-script-path");
  if (words.empty()) return;
  if (!validates(to) || std::ranges::count(to.texts("valid-metrics"), "translation") == 0)
    return to.leave_out();
  std::ranges::move(to.paths("valid-script-args"), std::back_inserter(words));
  to.give("valid-command", join(words, " "));
}

void convert_early_stopping(MarianConversion& to) {
  if (!validates(to)) return;
  const bool is_first = to.text("early-stopping-on") == "first" || to.texts("valid-metrics").size() < 2;
  if (!is_first) return to.refuse("early-stopping-on the first of valid-metrics alone");
  to.give("early-stopping", to.text("early-stopping"));
}

void convert_keep_best(MarianConversion& to) {
  if (!validates(to)) return;
  to.give("keep-best", to.is_on("keep-best") ? "1" : "0");
}

}  // namespace

const MarianOptions& marian_validation_options() {
  static const MarianOptions table = {
      converted("valid-sets", "", {"valid-source", "valid-target", "valid-tsv"}, convert_valid_sets),
      converted("valid-freq", "10000u", {"valid-every"}, convert_valid_frequency),
      converted("valid-metrics", "cross-entropy", {"valid-metrics", "best-by", "valid-beam"},
                convert_metrics),
      converted("early-stopping", "10", {"early-stopping"}, convert_early_stopping),
      part("early-stopping-on", "first", {"best-by"}),
      needed("early-stopping-epsilon", "0"),
      idle("valid-reset-stalled", "false"),
      idle("valid-reset-all", "false"),
      part("beam-size", "12", {"valid-beam"}),
      idle("normalize", "0"),
      idle("max-length-factor", "3"),
      idle("word-penalty", "0"),
      idle("allow-unk", "false"),
      idle("n-best", "false"),
      idle("word-scores", "false"),
      idle("valid-mini-batch", "32"),
      idle("valid-max-length", "1000"),
      converted("valid-script-path", "", {"valid-command"}, convert_script),
      part("valid-script-args", "", {"valid-command"}),
      idle("valid-translation-output", ""),
      converted("keep-best", "false", {"keep-best"}, convert_keep_best),
      idle("valid-log", ""),
      idle("quiet-validation", "false")};
  return table;
}

}  // namespace nmt
