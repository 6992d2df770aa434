#include "cli/marian/marian_source.h"

#include <set>

#include "cli/marian/conversion.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

Options::Source read(const Options::Source& command_line, MarianSource& target, MarianProgram program) {
  const auto files = command_line.find("marian-config");
  if (files == command_line.end()) return {};
  std::vector<std::string> paths;
  for (const GivenValue& file : files->second) paths.push_back(file.text);
  const MarianConfig config(paths);
  const MarianOptions table = marian_options(program);
  MarianConversion conversion(config, table, command_line);
  conversion.run();
  const auto ignores = command_line.find("ignore-unmapped");
  const bool is_strict = ignores == command_line.end() || ignores->second.back().text == "false";
  if (is_strict && !conversion.refused().empty()) {
    throw UsageError(
        "{}: no counterpart in nmt, and results differ without it; remove it from the file, or give "
        "--ignore-unmapped to go on without it",
        join(conversion.refused(), ", "));
  }
  target.ignored = conversion.refused();
  target.notes = conversion.notes();
  target.idle.assign(conversion.idle().begin(), conversion.idle().end());
  return conversion.settings();
}

/// Rejects a configuration of Marian where settings of nmt are expected: most names are the same in neither
/// program, so a few of Marian's and none of nmt's tell.
void check_is_not_of_marian(const std::string& file, const std::vector<YamlSetting>& settings,
                            const Options& options, MarianProgram program) {
  constexpr std::size_t kFewest = 2;
  std::set<std::string> theirs, ours;
  for (const MarianOption& option : marian_options(program)) theirs.insert(option.name);
  for (const Option& option : options.table()) ours.insert(option.facts().name);
  std::vector<std::string> only_theirs;
  for (const YamlSetting& setting : settings) {
    const std::string name = dashed(setting.name);
    if (setting.kind == YamlSetting::Kind::mapping || (ours.contains(name) && !theirs.contains(name))) return;
    if (theirs.contains(name) && !ours.contains(name)) only_theirs.push_back(setting.name);
  }
  if (only_theirs.size() < kFewest) return;
  throw UsageError("'{}' is a configuration of Marian, with {} and {}; give it as --marian-config", file,
                   quoted(only_theirs[0]), quoted(only_theirs[1]));
}

}  // namespace

void add_marian_options(Options& options, MarianSource& target, MarianProgram program) {
  options
      .add("marian-config", target.files, "FILE",
           "configuration of Marian (YAML) to take settings from. Marian's defaults apply to what it leaves "
           "out. --config and the command line override it.")
      .command_line_only()
      .group(kGeneralGroup);
  options
      .flag("ignore-unmapped", target.ignores_unmapped,
            "ignore settings of --marian-config that nmt does not have, though results then differ")
      .command_line_only()
      .needs({"marian-config"}, "a configuration of Marian; give --marian-config")
      .group(kGeneralGroup);
  options.source_below([&target, program](const Options::Source& command_line) {
    return read(command_line, target, program);
  });
  options.check_files_with(
      [&options, program](const std::string& file, const std::vector<YamlSetting>& settings) {
        check_is_not_of_marian(file, settings, options, program);
      });
}

void warn_of_left_out(const MarianSource& source) {
  for (const std::string& note : source.notes) log_info("{}", note);
  std::vector<std::string> parts;
  if (!source.ignored.empty()) parts.push_back("results differ without " + join(source.ignored, ", "));
  if (!source.idle.empty()) parts.push_back("results stay the same without " + join(source.idle, ", "));
  if (parts.empty()) return;
  log_warning("left out, without a counterpart in nmt: {}", join(parts, "; "));
}

}  // namespace nmt
