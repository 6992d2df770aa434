// The models that a program works with, and their device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/job_context.h"
#include "common/log/log.h"
#include "foreign/open.h"
#include "nn/saved/saved_model.h"
#include "tensor/workers.h"
#include "translate/search/ensemble.h"

namespace nmt {

/// Returns the path itself. If it is the name of a model on the Hugging Face Hub, such as "hf:OWNER/NAME",
/// fetches the files of the model and returns their folder; see fetch_model().
std::string local_path(const std::string& path, const JobContext& job = {});

/// Returns the model file that a path names: `path` itself or, if it is the directory of a run, the best
/// model in it, else the last one. A file of a folder that is a model of another toolkit, such as its
/// config.json, names the folder. A name on the Hub is that of its local_path(). Throws Error for a directory
/// without a model.
std::string model_file(const std::string& path, const JobContext& job = {});

/// A language model whose log-probabilities are added to those of translation models (shallow fusion).
struct FusedLanguageModel {
  std::string file;
  double weight = 0;  // factor of its log-probabilities
};

/// The shortlist that searches with models use.
enum class ShortlistUse : std::uint8_t {
  none,
  of_model,  // the one in the file of the first model, if any
  other      // another one, see AllowedTokens::shortlist
};

/// The settings for opening and combining models.
struct ModelUse {
  std::vector<double> weights = {};  // the weight of each model; empty: all are equal
  /// Weights are prepared for searches with this shortlist. Models keep their own shortlists only with
  /// `of_model`.
  ShortlistUse shortlist = ShortlistUse::none;
  std::optional<FusedLanguageModel> language_model = std::nullopt;
  ForeignFiles files = {};  // vocabularies of the models, if they do not name them
};

/// Throws Error if a model is a language model, which cannot translate. `path` is its file.
void refuse_language_model(const SavedModel& model, const std::string& path);

/// Warns if a vocabulary has fewer pieces than the embedding table of its model has rows: Marian and others
/// may pad tables, but the vocabulary may also belong to another model. `path` is the model file.
void warn_of_short_vocabularies(const Vocabularies& vocabularies, const std::string& path, Log& log);

/// Opens the device for models, which computes in int8 if all are quantized and the precision is "auto".
std::unique_ptr<Backend> open_device_for(std::span<const ModelFile> files, DeviceSettings device);

/// Models for inference that work together: at least one, with the same vocabularies, on one device.
class Models {
 public:
  /// Opens a device and the models of these paths (see open_model_file). If all of them are in int8, the
  /// precision "auto" means int8 on the CPU. Throws Error for a model that cannot be opened or does not fit
  /// the others.
  Models(const std::vector<std::string>& files, DeviceSettings device, const ModelUse& use = {});

  /// Sets the languages; see nmt::use_languages.
  void use_languages(const Languages& languages);

  Backend& device() const { return *device_; }
  Workers& workers() { return workers_; }
  const SavedModel& first() const { return models_[0]; }
  const Vocabularies& vocabularies() const { return models_[0].vocabularies; }
  /// Returns all models, a fused language model last. The pointers are valid as long as this object.
  std::vector<const SavedModel*> all() const;
  /// The weight of each model; see ensemble_of.
  const std::vector<double>& weights() const { return weights_; }
  Ensemble ensemble() const { return ensemble_of(all(), weights_); }

 private:
  Models(const std::vector<ModelFile>& files, DeviceSettings device, std::vector<double> weights,
         ShortlistUse shortlist);

  std::unique_ptr<Backend> device_;
  std::vector<SavedModel> models_;
  std::vector<double> weights_;
  Workers workers_;
};

}  // namespace nmt
