// The models that a program works with, and the device that they are on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/log/log.h"
#include "foreign/open.h"
#include "nn/files/saved_model.h"
#include "tensor/workers.h"
#include "translate/search/ensemble.h"

namespace nmt {

/// The model that a path names: `path` itself, or, where it is the directory of a run, the best model in it,
/// or the last one where none is the best. Throws Error for a directory that holds no model.
std::string model_file(const std::string& path);

/// A language model whose log-probabilities are added to those of models that translate (shallow fusion).
struct FusedLanguageModel {
  std::string file;
  double weight = 0;  // that they are multiplied by
};

/// Which shortlist searches with models use.
enum class ShortlistUse : std::uint8_t {
  none,
  of_model,  // the one in the file of the first model, where it has one
  other      // another one, which SearchSettings name
};

/// How models are opened and work together.
struct ModelUse {
  std::vector<double> weights = {};  // how much each model counts; empty: all the same
  /// Weights are laid out for searches that use it; only with `of_model` the models keep their shortlists.
  ShortlistUse shortlist = ShortlistUse::none;
  std::optional<FusedLanguageModel> language_model = std::nullopt;
  ForeignFiles files = {};  // vocabularies of the models, where they do not name them themselves
};

/// Throws Error where a model is a language model, which translates nothing. `path` is its file.
void refuse_language_model(const SavedModel& model, const std::string& path);

/// Warns where a vocabulary has fewer pieces than the table of its model has rows, as Marian and others may
/// pad tables, but the vocabulary may also be that of another model. `path` is the file of the model.
void warn_of_short_vocabularies(const Vocabularies& vocabularies, const std::string& path, Log& log);

/// Models for inference that work together: at least one, of the same vocabularies, on one device.
class Models {
 public:
  /// Opens a device and the models of these paths (see open_model_file). Where all of them are of int8, that
  /// is the precision `auto` of the CPU. Throws Error for what cannot be opened or does not fit together.
  Models(const std::vector<std::string>& files, DeviceSettings device, const ModelUse& use = {});

  /// See nmt::use_languages.
  void use_languages(const Languages& languages);

  Backend& device() const { return *device_; }
  Workers& workers() { return workers_; }
  const SavedModel& first() const { return models_[0]; }
  const Vocabularies& vocabularies() const { return models_[0].vocabularies; }
  /// Their addresses, which last as long as this; that of a fused language model is the last.
  std::vector<const SavedModel*> all() const;
  /// How much each counts; see ensemble_of.
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
