// nmt convert: converts a model to another precision, or from or to another toolkit.
#include "nn/saved/convert.h"

#include <optional>
#include <utility>
#include <vector>

#include "cli/files/model_file.h"
#include "cli/files/output.h"
#include "cli/options/common_options.h"
#include "cli/options/overwriting.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/folder.h"
#include "common/text/spelling.h"
#include "foreign/export.h"
#include "foreign/open.h"
#include "nn/saved/saved_model.h"

namespace nmt {
namespace {

struct ConvertSettings {
  std::vector<std::string> models;  // one, before or after the options
  std::optional<std::string> model, precision, toolkit;
  VocabularyOptions vocabularies;
  ForeignFiles files;  // the vocabularies
  std::string output;
  bool overwrite = false;
  LogOptions log;
};

constexpr const char* kNmt = "nmt";  // as the toolkit: a model file

Choices names_of_types() {
  Choices names;
  for (const std::string& type : names_of_weight_types()) names.emplace_back(type);
  return names;
}

Choices names_of_toolkits() {
  Choices names = {kNmt};
  for (const std::string& toolkit : export_toolkits()) names.emplace_back(toolkit);
  return names;
}

void check(const Options& options, const ConvertSettings& settings) {
  if (settings.models.size() + (settings.model ? 1 : 0) != 1)
    throw UsageError("one model is converted at a time; name it as FROM or by --model");
  if (settings.toolkit && settings.output == "-")
    throw UsageError("{} writes a folder, not standard output; name it", options.origin("to"));
  const std::string extension = extension_of(settings.output);
  if (!settings.toolkit && (extension == "npz" || extension == "bin" || extension == "zip")) {
    throw UsageError(
        "{} '{}': without --to, nmt writes a model file of its own, not .{}; name it NAME.safetensors, or "
        "add --to {}",
        options.origin("output"), settings.output, extension, join(export_toolkits(), "|"));
  }
}

bool parse(const Arguments& arguments, ConvertSettings& settings) {
  Options options("nmt convert", "FROM",
                  "Converts a model to another precision, or from or to the format of another toolkit.",
                  "nmt convert -m model.safetensors --precision int8 -o small.safetensors");
  options.positional(settings.models, "FROM",
                     "a model file, a run directory, or another toolkit's file or folder", 0, 1);
  options.add("model,m", settings.model, "FILE", "model to convert, instead of FROM");
  options
      .add("precision", settings.precision, "",
           "type of the weight matrices. All other tensors are in f32. int8 takes a quarter of the size of "
           "f32, with 8 bits per weight and a scale per row; bf16 and f16 take half. Converting an int8 "
           "model back does not undo its rounding.")
      .choices(names_of_types())
      .default_text("as in the input");
  options.add("to", settings.toolkit, "", "write a folder for this toolkit instead of a model file")
      .choices(names_of_toolkits())
      .default_text(kNmt);
  options.flag("overwrite", settings.overwrite,
               "replace the files of an existing folder. A model file is always replaced");
  add_model_vocabulary_options(options, settings.vocabularies);
  options
      .add("output,o", settings.output, "FILE",
           "model file to write, or with --to the folder. - is standard output.")
      .required()
      .command_line_only()
      .writes();
  if (!parse_with_log_options(options, arguments, settings.log)) return false;
  if (settings.toolkit == kNmt) settings.toolkit.reset();
  check(options, settings);
  settings.files = vocabulary_files(options, settings.vocabularies);
  return true;
}

void write(ModelFile file, const ConvertSettings& settings) {
  const std::optional<DType> type =
      settings.precision ? std::optional(type_of_weights(*settings.precision)) : std::nullopt;
  if (!settings.toolkit) return convert_model(file, type, settings.output);
  if (has_shortlist(file))
    log_warning("the shortlist of '{}' is left out: models of {} do not include one", file.path(),
                *settings.toolkit);
  const auto write_folder = [&](const ModelFile& model) {
    export_model(model, *settings.toolkit, settings.output, settings.overwrite);
  };
  if (type) {
    write_folder(converted_model(std::move(file), *type));
  } else {
    write_folder(file);
  }
}

/// Warns of word lists shorter than the model's tables. Marian and others pad their tables, but the list may
/// also belong to another model.
void warn_of_short_list(const ConvertSettings& settings, const ModelFile& file) {
  const Vocabularies vocabularies = embedded_vocabularies(file);
  const auto warn = [](const std::optional<std::string>& list, const Vocabulary& vocabulary) {
    if (!list || vocabulary.size() == vocabulary.rows()) return;
    log_warning(
        "'{}' has {} words, but the table of the model has {} rows; make sure that it is of this model",
        *list, vocabulary.size(), vocabulary.rows());
  };
  warn(settings.files.source_vocabulary, vocabularies.source);
  if (!vocabularies.shared()) warn(settings.files.target_vocabulary, vocabularies.target);
}

/// Throws before the work if the output cannot be written, or if it is a folder to replace with files that
/// are read.
void check_output(const std::string& model, const ConvertSettings& settings) {
  if (!settings.toolkit) return check_binary_output(settings.output, "a model of nmt", "safetensors");
  AtomicFolder::check(settings.output, settings.overwrite);
  std::vector<NamedFile> inputs = {{settings.model ? "--model" : "FROM", model}};
  for (const auto& [origin, file] : {std::pair("--source-vocab", settings.files.source_vocabulary),
                                     std::pair("--target-vocab", settings.files.target_vocabulary)}) {
    if (file) inputs.push_back({origin, *file});
  }
  refuse_replacing({"--output", settings.output}, inputs);
}

}  // namespace

int run_convert(const Arguments& arguments) {
  ConvertSettings settings;
  if (!parse(arguments, settings)) return 0;
  const std::string model = chosen_model(settings.model ? *settings.model : settings.models[0]);
  check_output(model, settings);
  ModelFile file = open_model_file(model, settings.files);
  warn_of_short_list(settings, file);
  write(std::move(file), settings);
  const std::string toolkit = toolkit_of(model);
  log_info("wrote '{}'{}{} (from the {} '{}')", settings.output,
           settings.precision ? " in " + *settings.precision : "",
           settings.toolkit ? " for " + *settings.toolkit : "",
           toolkit.empty() ? "model" : toolkit + " model", model);
  return 0;
}

}  // namespace nmt
