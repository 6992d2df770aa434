// Reads and writes whole models: configuration, vocabularies, weights.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/files/model_file.h"
#include "nn/registry.h"
#include "nn/saved/low_rank_model.h"
#include "nn/saved/shortlist.h"
#include "nn/saved/vocabularies.h"
#include "nn/weights/inference_weights.h"

namespace nmt {

/// The contents of a file with a network of any type, without memory for its weights.
struct SavedNetwork {
  ModelSettings settings;  // including defaults
  Vocabularies vocabularies;
  std::unique_ptr<Network> network;
};

/// Returns the network of a file. Checks that settings, vocabularies and tensors fit together; throws Error
/// if they do not.
SavedNetwork blank_network(const ModelFile& file);

/// A model that is ready to run on a backend.
struct SavedModel {
  ModelSettings settings;  // including defaults
  Vocabularies vocabularies;
  std::unique_ptr<Model> model;
  SpecialTokens special_tokens;
  DecodingSettings decoding = {};                        // empty if the file has none
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // null if the file has none
  /// The maximum number of tokens of a training sentence, without special tokens (`max_length` of the
  /// configuration); none if the file does not say.
  std::optional<std::int64_t> trained_length = std::nullopt;
  /// The model whose updates of low rank are trained; none: all weights are trained.
  std::optional<LowRankBase> base = std::nullopt;
};

/// Returns the vocabularies of a model for text in these languages. Languages left out default to those in
/// the `decoding:` section of the file (source_language, target_language). Throws UsageError as
/// in_languages() does.
Vocabularies in_languages(const SavedModel& model, const Languages& languages);

/// Makes these languages the default of a model. Throws UsageError as in_languages() does.
void use_languages(SavedModel& model, const Languages& languages);

/// Returns the model of a file without memory for its weights. Throws as blank_network() does, and if the
/// network does not translate.
SavedModel blank_model(const ModelFile& file);

/// Loads the weights of a file that fits these parameters onto the device, for inference only (see
/// prepack()).
void load_for_inference(Parameters& parameters, const ModelFile& file, Backend& backend,
                        OutputRows output = OutputRows::all);
/// Opens a model file and loads its weights onto the device, for inference only (see prepack()). The file may
/// be removed or changed afterwards. Throws Error if anything does not fit together; see ModelFile.
SavedModel open_model(const std::string& path, Backend& backend, OutputRows output = OutputRows::all);
SavedModel open_model(const ModelFile& file, Backend& backend, OutputRows output = OutputRows::all);
/// Loads a model file onto the device for training. Throws Error if anything does not fit together.
SavedModel open_model_to_train(const ModelFile& file, Backend& backend);
/// Loads the weights of a file into a model, frozen, for training updates of low rank. The updates are zero
/// until they are initialized or loaded, as training weights.
void load_frozen(Model& model, const ModelFile& file, Backend& backend, const LowRankSettings& settings);

/// Writes a model file, atomically. `config`: the resolved configuration as YAML, with a `model:` section;
/// `metadata`: additional texts (see doc/model-file.md).
void save_model(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                std::vector<FileTensor> weights, std::map<std::string, std::string> metadata = {});
/// Writes a model file with these weights, which must not be divided among ranks. See save_model() above.
void save_model(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                const TrainingWeights& weights, std::map<std::string, std::string> metadata = {});

/// Return the vocabularies inside a model file, and vocabularies as tensors for a model file. The former
/// throws Error if vocabularies are missing or damaged.
Vocabularies embedded_vocabularies(const ModelFile& file);
std::vector<FileTensor> vocabulary_tensors(const Vocabularies& vocabularies);
/// Returns all tensors of a model file except weights: those of the vocabularies, and of the shortlist unless
/// it is null.
std::vector<FileTensor> tensors_beside_weights(const Vocabularies& vocabularies, const Shortlist* shortlist);
/// The vocabularies of a file, and the default languages that the file names, if any.
struct VocabulariesOfFile {
  Vocabularies vocabularies;
  Languages usual;
};
/// Reads the vocabularies inside a model file; a vocabulary file counts for both sides. Throws Error.
VocabulariesOfFile vocabularies_in(const std::string& path);
/// Returns the default languages in the decoding settings of a model.
Languages usual_languages(const DecodingSettings& decoding);

/// Throws Error if the sizes of the vocabularies (Vocabulary::rows) differ from those in the settings of the
/// model. The message calls the model `where`.
void check_vocabulary_sizes(const ModelSettings& settings, const Vocabularies& vocabularies,
                            const std::string& where);

}  // namespace nmt
