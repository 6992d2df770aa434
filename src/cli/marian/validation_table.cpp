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
  if (to.is_overridden(to.option().settings) || !are_of_two_sides(to, paths)) return;
  if (paths.size() == 1) return to.give("valid-tsv", paths[0]);
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

/// Returns the figures of the metrics, in order. Metrics without one are refused.
std::vector<std::string> figures_of(MarianConversion& to) {
  std::vector<std::string> figures;
  for (const std::string& metric : to.texts("valid-metrics")) {
    const std::string figure = figure_of(metric);
    if (figure.empty()) {
      to.refuse("there is no " + metric);
    } else if (figure == kCommandFigure && !has_command(to)) {
      to.refuse(metric + " has no script; give --valid-command");
    } else {
      figures.push_back(figure);
    }
  }
  return figures;
}

/// The first metric decides when to stop. Translations are made if a metric needs them; their BLEU is always
/// logged.
void convert_metrics(MarianConversion& to) {
  if (!validates(to)) return;
  const std::vector<std::string> figures = figures_of(to);
  if (figures.empty()) return;
  const bool has_translations =
      std::ranges::any_of(figures, [](const std::string& figure) { return figure != "perplexity"; });
  if (has_translations) {
    to.give_from("beam-size", "valid-beam", to.text("beam-size"));
  } else {
    to.give("valid-beam", "0");
  }
  if (std::ranges::count(figures, "chrf") > 0) to.give("valid-metrics", "chrf");
  to.give("best-by", figures.front());
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
  if (!is_first) to.refuse("early-stopping-on", "the first of valid-metrics decides alone");
  to.give("early-stopping", to.text("early-stopping"));
}

/// Validation texts are limited like training texts.
void convert_length_of_validation(MarianConversion& to) {
  if (!validates(to) || !to.is_given() || to.number("valid-max-length") == to.number("max-length")) return;
  to.note("valid-max-length", fmt::format("validation pairs are limited by max-length, which is {}, as "
                                          "training pairs are",
                                          to.text("max-length")));
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
      converted("valid-max-length", "1000", {}, convert_length_of_validation),
      converted("valid-script-path", "", {"valid-command"}, convert_script),
      part("valid-script-args", "", {"valid-command"}),
      idle("valid-translation-output", ""),
      converted("keep-best", "false", {"keep-best"}, convert_keep_best),
      idle("valid-log", ""),
      idle("quiet-validation", "false")};
  return table;
}

}  // namespace nmt
