// nmt bleu: scores translations against references, in the layouts of sacrebleu.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/standard_output.h"
#include "cli/systems.h"
#include "common/error.h"
#include "common/log.h"
#include "common/plural.h"
#include "common/text_reader.h"
#include "metrics/metric.h"

namespace nmt::cli {
namespace {

using Lines = std::vector<std::string>;

struct Settings {
  Lines references, inputs;
  int width = 1;
  bool score_only = false, json = false;
  LogOptions log;
};

// `-i a b` means `-i a -i b`, so that no hypothesis is ever taken for a reference.
Arguments repeat_input_option(const Arguments& arguments) {
  Arguments repeated;
  bool behind_input = false, behind_option = false;
  for (const std::string& argument : arguments) {
    const bool is_option = argument.starts_with('-') && argument != "-";
    if (!is_option && behind_input && !behind_option) repeated.emplace_back("-i");
    if (is_option) behind_input = argument == "-i" || argument == "--input";
    behind_option = is_option;
    repeated.push_back(argument);
  }
  return repeated;
}

void check(const Options& options, const Settings& settings) {
  if (settings.json && settings.score_only) {
    throw UsageError("{} exclude each other; give one", options.origins({"json", "score-only"}));
  }
  const auto streams = std::ranges::count(settings.references, "-") +
                       std::ranges::count(settings.inputs, "-") + (settings.inputs.empty() ? 1 : 0);
  if (streams > 1) {
    throw UsageError("standard input can be one text only, but {} are to come from it; name files", streams);
  }
}

bool parse(const Arguments& arguments, Settings& settings) {
  Options options(
      "nmt bleu", "reference [reference ...] < hypothesis",
      "Scores a translation by BLEU with tokenizer 13a, cased, exponential smoothing: the digits are "
      "those of sacrebleu.",
      "nmt bleu test.de < translated.de");
  options.positional(settings.references, "reference",
                     "the reference, a line a segment; several are taken together", 1, 1000);
  options.add("input,i", settings.inputs, "FILE",
              "score files instead of standard input, each a system: -i a b");
  options.add("width,w", settings.width, "N", "digits of the score behind the point").range(0, 15);
  options.flag("score-only,b", settings.score_only, "print only the score");
  options.flag("json", settings.json, "print a JSON object; of several systems, a list");
  add_log_options(options, settings.log);
  if (!options.parse(repeat_input_option(arguments))) return false;
  apply(options, settings.log);
  check(options, settings);
  return true;
}

std::vector<System> read_hypotheses(const Lines& inputs) {
  if (!inputs.empty()) return read_systems(inputs);
  if (isatty(STDIN_FILENO) == 1) {
    log_info(
        "reading the hypothesis from the terminal, a segment a line, until Ctrl-D; or redirect it: "
        "nmt bleu reference < hypothesis");
  }
  std::vector<System> systems = read_columns("-");
  if (systems.empty())
    throw Error("standard input is empty; redirect a hypothesis: nmt bleu reference < hypothesis");
  return systems;
}

void check_line_numbers(const System& system, const Settings& settings,
                        const std::vector<Lines>& references) {
  const std::size_t lines = system.lines.size();
  if (lines == 0) throw Error("'{}' is empty; there is nothing to score", system.name);
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == lines) continue;
    throw Error("the reference '{}' has {}, the hypothesis '{}' has {}; both must be of the same segments",
                settings.references[r], count_of(std::ssize(references[r]), "line"), system.name, lines);
  }
}

// Tokens set apart in the hypothesis are a common mistake that changes the score.
void warn_of_tokenized_text(const System& system) {
  const auto tokenized =
      std::ranges::count_if(system.lines, [](const auto& line) { return line.ends_with(" ."); });
  if (tokenized < 100) return;
  log_warning("'{}': {} lines end with a full stop set apart; the score is meant for detokenized text",
              system.name, tokenized);
}

std::string format(const metrics::Score& score, const Settings& settings) {
  if (settings.score_only) return score.number(settings.width);
  return settings.json ? score.json(settings.width) : score.text(settings.width);
}

// As sacrebleu lists several systems: a table of rounded scores as text.
std::string json_list(const std::vector<System>& systems, const std::vector<metrics::Score>& scores,
                      int width) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < systems.size(); ++i) {
    list.push_back({{"system", systems[i].name}, {scores[i].name, scores[i].number(width)}});
  }
  return list.dump(4, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

std::string report(const std::vector<System>& systems, const std::vector<metrics::Score>& scores,
                   const Settings& settings) {
  if (systems.size() == 1) return format(scores[0], settings) + '\n';
  if (settings.json) return json_list(systems, scores, settings.width) + '\n';
  std::string lines;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    lines += fmt::format("{}\t{}\n", systems[i].name, format(scores[i], settings));
  }
  return lines;
}

}  // namespace

int run_bleu(const Arguments& arguments) {
  Settings settings;
  if (!parse(arguments, settings)) return 0;
  std::vector<Lines> references;
  for (const std::string& path : settings.references) references.push_back(read_lines(path));
  const std::vector<System> systems = read_hypotheses(settings.inputs);
  const auto metric = metrics::make_metric("bleu");
  std::vector<metrics::Score> scores;
  for (const System& system : systems) {
    check_line_numbers(system, settings, references);
    warn_of_tokenized_text(system);
    scores.push_back(metrics::corpus_score(*metric, system.lines, references));
    scores.back().signature.emplace_back("version", "nmt-" NMT_VERSION);
  }
  write_output(report(systems, scores, settings));
  return 0;
}

}  // namespace nmt::cli
