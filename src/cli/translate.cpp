// nmt translate: a line in, its translation out.
#include <chrono>

#include "backend/factory.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/standard_output.h"
#include "common/log.h"
#include "translate/translator.h"

namespace nmt::cli {
namespace {

struct Settings {
  std::string model, input = "-";
  bool scores = false;
  TranslatorSettings translator;
  DeviceSettings device;
  LogOptions log;
};

bool parse(const Arguments& arguments, Settings& settings) {
  Options options("nmt translate", "< source > target", "Translates text line by line.",
                  "nmt translate -m model.safetensors < test.en > test.de");
  SearchSettings& search = settings.translator.search;
  options.add("model,m", settings.model, "FILE", "model file").required();
  options.add("input,i", settings.input, "FILE", "text to translate; .gz and .xz are read as well");
  options.flag("scores", settings.scores, "print the score and a tab before each translation");
  options.add("beam", search.beam, "N", "hypotheses that live on at each step; 1: greedy search")
      .range(1, 1000)
      .group("search");
  options
      .add("length-penalty", search.length_penalty, "A",
           "scores are log-probabilities over ((5 + length) / 6)^A")
      .range(0, 10)
      .group("search");
  options
      .add("max-length-factor", search.max_length_factor, "F",
           "longest translation: F times the source tokens and an extra")
      .range(0, 1000)
      .group("search");
  options.add("max-length-extra", search.max_length_extra, "N", "the extra, in tokens")
      .range(0, 1e6)
      .group("search");
  options
      .add("batch-tokens", settings.translator.batch_tokens, "N",
           "most source tokens, padding included, that are translated together; no effect on the result")
      .range(1, 1e9)
      .group("computing");
  add_device_options(options, settings.device);
  add_log_options(options, settings.log);
  return options.parse(arguments);
}

void print(const std::vector<Translation>& translations, bool scores) {
  std::string text;
  for (const Translation& translation : translations) {
    if (scores) text += fmt::format("{:.6f}\t", translation.score);
    text += translation.text + '\n';
  }
  write_output(text);
}

void log_summary(const Translator::Counts& counts, std::chrono::duration<double> time) {
  log_info("{} sentences in {:.2f} s, {:.0f} target tokens/s", counts.lines, time.count(),
           static_cast<double>(counts.target_tokens) / time.count());
}

}  // namespace

int run_translate(const Arguments& arguments) {
  Settings settings;
  if (!parse(arguments, settings)) return 0;
  apply(settings.log);
  TextReader input(settings.input, CarriageReturn::drop);
  const auto backend = open_backend(settings.device);
  const SavedModel model = open_model(settings.model, *backend);
  Arena arena(*backend);
  Translator translator(model, *backend, arena, settings.translator);
  const auto start = std::chrono::steady_clock::now();
  translator.translate(
      input, [&](const std::vector<Translation>& translations) { print(translations, settings.scores); });
  log_summary(translator.counts(), std::chrono::steady_clock::now() - start);
  return 0;
}

}  // namespace nmt::cli
