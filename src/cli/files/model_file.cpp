#include "cli/files/model_file.h"

#include <filesystem>

#include "cli/program.h"
#include "common/error.h"
#include "common/text/number.h"
#include "hub/hub_name.h"

namespace nmt {

Option& add_models_option(Options& options, std::vector<std::string>& target) {
  return options.add(
      "model,m", target, "FILE",
      "model file, run directory, model folder of another toolkit, or hf:OWNER/NAME for a model of the "
      "Hugging Face Hub. Of a run directory, the best model is used, or else the last. Several models "
      "with the same vocabularies work as an ensemble.");
}

void add_weights_option(Options& options, std::vector<double>& target) {
  options
      .add("weights", target, "W",
           "weight of each model of an ensemble in the mean of log-probabilities, in the order of the models")
      .range(1e-6, 1e6)
      .default_text("all the same");
}

void check_weights(const Options& options, const std::vector<double>& weights, std::size_t models) {
  if (weights.empty() || weights.size() == models) return;
  throw UsageError("{}: {} for {}; give one for each", options.origin("weights"),
                   count_of(std::ssize(weights), "weight"),
                   count_of(static_cast<std::int64_t>(models), "model"));
}

std::string chosen_model(const std::string& path) {
  std::string file = model_file(path, program_job());
  if (file != path && !is_hub_name(path))
    log_info("'{}': the model is {}", path, std::filesystem::path(file).filename().string());
  return file;
}

void add_model_vocabulary_options(Options& options, VocabularyOptions& target) {
  const char* help =
      ", for a model whose own files name none. It may be .spm, .yml, .json, or .txt with one word per line.";
  options
      .add("vocab", target.vocab, "FILE",
           std::string("vocabulary of both sides, or given twice, of the source and of the target") + help)
      .twice("source-vocab", "target-vocab");
  options.add("source-vocab", target.source_vocab, "FILE", "vocabulary of the source");
  options.add("target-vocab", target.target_vocab, "FILE", "vocabulary of the target");
}

ForeignFiles vocabulary_files(const Options& options, const VocabularyOptions& vocabularies) {
  const auto& [both, source, target] = vocabularies;
  check_sides(options, vocabularies);
  return {both ? both : source, both ? both : target};
}

Models open_models(const std::vector<std::string>& files, const DeviceSettings& device, const ModelUse& use) {
  Models models(files, device, use);
  const std::vector<const SavedModel*> all = models.all();
  for (std::size_t i = 0; i < files.size(); ++i)
    warn_of_short_vocabularies(all[i]->vocabularies, files[i], program_log());
  log_verbose("computing on {}", models.device().description());
  return models;
}

Models open_models(const std::vector<std::string>& files, const DeviceSettings& device,
                   const Languages& languages, const ModelUse& use) {
  Models models = open_models(files, device, use);
  models.use_languages(languages);
  return models;
}

std::string name_of_model(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  if (whole == ".") return std::filesystem::current_path().filename().string();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace nmt
