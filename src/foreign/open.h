// Models and shortlists, whichever program has written them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "nn/files/model_file.h"
#include "nn/files/shortlist.h"

namespace nmt {

/// Files that a user names beside a model of another toolkit, where it does not name them itself.
struct ForeignFiles {
  std::optional<std::string> source_vocabulary, target_vocabulary;
  bool with_shortlist = true;  // read the shortlist that the model comes with
};

/// The toolkit whose model is at `path`, a file or a folder: "Marian"; empty where it is none that is known.
std::string toolkit_of(const std::string& path);

/// The files that are read for such a model, or that may be: those of its folder, and what it names
/// elsewhere. None where it is none that is known.
std::vector<std::string> files_of_model(const std::string& path);

/// Opens the model at `path`: a model file of this program, or one of another toolkit, which is converted
/// into a temporary file. Throws Error where it cannot be read, is damaged, or does what no model here does.
ModelFile open_model_file(const std::string& path, const ForeignFiles& files = {});

/// Reads a shortlist for a model with these vocabularies: one that nmt shortlist has written, or a binary one
/// of Marian. Throws Error where it is damaged, or belongs to another model.
Shortlist open_shortlist(const std::string& path, const Vocabularies& vocabularies,
                         const JobContext& job = {});

}  // namespace nmt
