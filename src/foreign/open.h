// Opens models and shortlists of any supported toolkit.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/vocabulary/languages.h"
#include "nn/files/model_file.h"
#include "nn/saved/low_rank_model.h"
#include "nn/saved/shortlist.h"

namespace nmt {

/// Files that a user names in addition to a foreign model, if the model does not name them itself.
struct ForeignFiles {
  std::optional<std::string> source_vocabulary, target_vocabulary;
  bool with_shortlist = true;  // whether to read the shortlist that the model comes with
};

/// Returns the toolkit of the model at `path`, a file or a folder: "Marian"; empty if it is unknown.
std::string toolkit_of(const std::string& path);

/// Returns the name of a model on the Hugging Face Hub, such as "google/mt5-xl", whose tokenizer the model at
/// `path` needs but lacks (COMET, MetricX); otherwise empty. Throws Error if a file is damaged.
std::string model_with_tokenizer_of(const std::string& path);

/// Returns the languages that the files of a model name, if they name one pair (packages of Argos Translate,
/// FSMT of Hugging Face); otherwise both are empty.
Languages languages_of_model(const std::string& path);

/// Returns the parts of a Marian model in a folder without its weights, such as "a shortlist and
/// vocabularies"; empty if there are none.
std::string parts_of_model(const std::string& folder);

/// Returns the files that are read, or may be read, for the model at `path`: the files of its folder, and
/// files elsewhere that it names, such as the base of updates of low rank. Empty for a model file of nmt
/// without a base, and for an unknown kind of model.
std::vector<std::string> files_of_model(const std::string& path);

/// Opens the model at `path`: a model file of nmt, or a model of another toolkit, whose tensors are converted
/// when they are read. A file with updates of low rank is opened with its base, and merged. Throws Error if
/// the model cannot be read, is damaged, or is not supported by nmt; if a downloaded model is damaged, the
/// message says how to download it again.
ModelFile open_model_file(const std::string& path, const ForeignFiles& files = {});

/// Returns the names of the types in which the files of another toolkit's model at `path` have its matrices,
/// such as "f16", or "int8" for quantized ones. Throws Error as open_model_file() does.
std::set<std::string> types_in_files_of(const std::string& path);

/// Opens the base of updates of low rank in the file `updates`: where it was, or else next to that file.
/// Throws Error if it is missing, or another model.
ModelFile open_base(const LowRankBase& base, const std::string& updates);

/// Reads a shortlist for a model with these vocabularies: one written by nmt shortlist, or a binary shortlist
/// of Marian. Throws Error if it is damaged, or belongs to another model.
Shortlist open_shortlist(const std::string& path, const Vocabularies& vocabularies,
                         const JobContext& job = {});

}  // namespace nmt
