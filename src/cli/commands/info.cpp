// nmt info: describes a file or this machine.
#include <filesystem>
#include <fstream>

#include "cli/commands/facts.h"
#include "cli/files/model_file.h"
#include "cli/options/common_options.h"
#include "cli/program.h"
#include "common/io/folder.h"
#include "data/vocabulary/vocabulary_check.h"
#include "foreign/open.h"

namespace nmt {
namespace {

struct InfoSettings {
  std::vector<std::string> paths;  // at most one
  bool json = false;
  LogOptions log;
};

/// Returns the first bytes of a file.
std::string beginning(const std::string& path) {
  if (!is_file(path)) return "";
  std::string bytes(16, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), std::ssize(bytes));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

/// Returns the description of a path. A file of a foreign model's folder stands for the folder.
std::string text_about(const std::string& given, bool json) {
  std::error_code ignored;  // opening the path reports the same failure
  const bool is_folder = std::filesystem::is_directory(given, ignored);
  const std::string path = is_folder ? given : chosen_model(given);
  if (PackedFile::is_one(path)) {
    if (json) return facts_json(corpus_facts(path));
    constexpr std::int64_t kUsualBatchTokens = 25000;
    const PackedCorpus corpus(path);
    corpus.verify();
    return corpus_report(corpus, kUsualBatchTokens);
  }
  const bool is_run = is_folder && toolkit_of(path).empty();
  const Facts facts = is_run                                   ? run_directory_facts(path)
                      : looks_like_vocabulary(beginning(path)) ? vocabulary_file_facts(path)
                                                               : model_facts(path);
  return json ? facts_json(facts) : facts_text(facts);
}

}  // namespace

int run_info(const Arguments& arguments) {
  InfoSettings settings;
  Options options("nmt info", "[FILE]",
                  "Checks and describes a model file, a run directory, a vocabulary or a packed corpus. "
                  "Without a file, describes this build and this machine.",
                  "nmt info model.safetensors");
  options.positional(settings.paths, "FILE",
                     "a model file, a run directory, a vocabulary, or a packed corpus", 0, 1);
  options.flag("json", settings.json, "print a JSON object");
  options.writes_standard_output();
  if (!parse_with_log_options(options, arguments, settings.log)) return 0;
  if (!settings.paths.empty()) {
    write_output(text_about(settings.paths[0], settings.json));
    return 0;
  }
  const Facts facts = machine_facts();
  write_output(settings.json ? facts_json(facts) : facts_text(facts));
  return 0;
}

}  // namespace nmt
