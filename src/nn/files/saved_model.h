// A whole model from a file and back: configuration, vocabularies, weights.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/files/model_file.h"
#include "nn/files/shortlist.h"
#include "nn/files/vocabularies.h"
#include "nn/registry.h"
#include "nn/weights/inference_weights.h"

namespace nmt {

/// A model ready to run on a backend.
struct SavedModel {
  ModelSettings settings;  // complete
  Vocabularies vocabularies;
  std::unique_ptr<Model> model;
  SpecialTokens special_tokens;
  DecodingSettings decoding = {};                        // empty where the file has none
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // null where the file has none
};

/// The vocabularies of a model for text in these languages; those left out are the ones that its file names
/// under `decoding:` (source_language, target_language). Throws UsageError as in_languages() does.
Vocabularies in_languages(const SavedModel& model, const Languages& languages);

/// Makes a model take and give text in these languages, if nothing else is asked for. Throws as above.
void use_languages(SavedModel& model, const Languages& languages);

/// The model of a file without memory for its weights, everything checked: that settings, vocabularies and
/// tensors fit together. Throws Error.
SavedModel blank_model(const ModelFile& file);

/// Opens a model file and puts its weights on the device, for inference alone (see prepack()). The file
/// may go or change afterwards. Throws Error for anything that does not fit together; see ModelFile.
SavedModel open_model(const std::string& path, Backend& backend, OutputRows output = OutputRows::all);
SavedModel open_model(const ModelFile& file, Backend& backend, OutputRows output = OutputRows::all);
/// The same for training.
SavedModel open_model_to_train(const ModelFile& file, Backend& backend);

/// Writes a model file, atomically. `config`: the resolved configuration as YAML, with a `model:` section;
/// `metadata`: further texts (see doc/model-file.md).
void save_model(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                std::vector<FileTensor> weights, std::map<std::string, std::string> metadata = {});
/// The same with these weights, of which nothing is divided.
void save_model(const std::string& path, const std::string& config, const Vocabularies& vocabularies,
                const TrainingWeights& weights, std::map<std::string, std::string> metadata = {});

/// The vocabularies inside a model file, and as tensors for one (their bytes are those of `vocabularies`).
/// Throws Error when they are missing or damaged.
Vocabularies embedded_vocabularies(const ModelFile& file);
std::vector<FileTensor> vocabulary_tensors(const Vocabularies& vocabularies);
/// All tensors of a model file but weights: those of the vocabularies, and of the shortlist unless it is
/// null.
std::vector<FileTensor> tensors_beside_weights(const Vocabularies& vocabularies, const Shortlist* shortlist);
/// Vocabularies of a file, and the languages that it names as the usual ones, if any.
struct VocabulariesOfFile {
  Vocabularies vocabularies;
  Languages usual;
};
/// Those inside a model file, or the one that a vocabulary file is, for both sides. Throws Error.
VocabulariesOfFile vocabularies_in(const std::string& path);
/// The languages that settings of a search name as the usual ones.
Languages usual_languages(const DecodingSettings& decoding);

/// Throws Error when the settings of a model and its vocabularies differ in size (Vocabulary::rows); `where`
/// names what is checked.
void check_vocabulary_sizes(const ModelSettings& settings, const Vocabularies& vocabularies,
                            const std::string& where);

}  // namespace nmt
