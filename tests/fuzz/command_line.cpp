// Fuzz target: command lines, with the subcommand and then one argument per line.
#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <string_view>

#include "cli/program.h"
#include "cli/training/train_options.h"
#include "common/error.h"
#include "common/text/spelling.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

namespace nmt::fuzz {
namespace of_command_line {
namespace {

std::vector<std::string> seeds() {
  return {
      "translate\n-m\nmodel.safetensors\n--beam=3\n--n-best\n2\n--max-length-factor\n1.5\n-o\n-\n--flush",
      "train\n--preset\ntransformer-tiny\n--source=a\n--target=b\n--vocab\nv\n-o\nrun\n--d-model\n64\n--save-"
      "every\n"
      "2Mt\n--schedule\ncosine\n--ema\n.999\n--no-overwrite",
      "train\n--train\na.nmtc\n--output\nrun\n--valid-source\nx\n--valid-target\ny\n--steps\n1\n--seed\n007",
      "bleu\nreference\nanother\n-i\na\nb\nc\n--width=3\n--score-only",
      "batch\n--source\na\n--target\nb\n--vocab\nv\n-o\nc\n--max-ratio\n9e0\n--batch-tokens\n25000",
      "vocab\n-i\na\n-i\nb\n-o\nv\n--size\n32000\n--type\nbpe\n--user-symbols\na,b,,c\n--coverage\n1.0",
      "average\nrun\n--output\nc\n--last\n5",
      "attention\n-m\nm\n--source\ns\n-o\np.html\n--lines\n1-3\n--kind\ncross\n--layer=1",
      "report\nrun\nanother\n-o\np.html",
      "info\nm\n--json",
      "plot\nschedule\n--curve\n512:4000\n-o\np.svg",
      "score\n-m\nm\n--source\ns\n--target\nt\n--per-token\n--threads\n2\n--device\ncpu\n--"};
}

std::vector<std::string> words() {
  TrainOptions settings;
  Options options("nmt train", "", "", "");
  add_train_options(options, settings);
  std::vector<std::string> words = {"\n",  "--\n",    "-5\n",  "--no-", "--config\n/dev/null\n",
                                    "=\n", "1e400\n", "\n\xFF"};
  for (const Option& option : options.table()) words.push_back("--" + option.facts().name + "\n");
  return words;
}

/// Whether an argument must be left out: it keeps a command from rejecting the line, or from reading it.
bool is_kept_out(const std::string& argument) {
  const std::string name = dashed(argument);
  const bool are_letters =
      name.starts_with("-") && !name.starts_with("--");  // several letters may be grouped
  return (are_letters && name.find('h') != std::string::npos) ||
         std::ranges::any_of(std::array{"--help", "--list-presets", "--no-quiet", "--no-verbose"},
                             [&](const char* prefix) { return name.starts_with(prefix); });
}

/// Reads a command line without running it: every command reads its whole line, and the settings files in it,
/// before it rejects --quiet --verbose.
void load(const std::string& bytes) {
  std::istringstream lines(bytes);
  std::string name;
  std::getline(lines, name);
  const auto command = std::ranges::find(commands(), name, &Command::name);
  if (command == commands().end()) throw UsageError("no subcommand");
  Arguments arguments = {"--quiet", "--verbose"};
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::strlen(line.c_str()));  // arguments cannot contain a zero
    if (!is_kept_out(line)) arguments.push_back(line);
  }
  try {
    command->run(arguments);
    check(false, "--quiet and --verbose are refused");
  } catch (const UsageError& error) {
    if (!std::string_view(error.what()).starts_with("--quiet and --verbose")) throw;
  }
}

}  // namespace
}  // namespace of_command_line

Target command_line_target() {
  using namespace of_command_line;
  return {"command_line", seeds, words, load};
}

}  // namespace nmt::fuzz
