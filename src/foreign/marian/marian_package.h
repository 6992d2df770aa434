// The files of a Marian model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "foreign/marian/marian_settings.h"
#include "foreign/marian/marian_shortlist.h"
#include "foreign/marian/opus_scripts.h"
#include "foreign/open.h"

namespace nmt {

/// A mapped file with its name for messages.
struct NamedBytes {
  std::string name;
  MemoryMap bytes;
};

/// The files of a model, and facts that follow from them.
struct MarianPackage {
  NamedBytes weights;                                      // .npz or .bin
  NamedBytes source_vocabulary, target_vocabulary;         // .spm, or a list of words
  std::optional<NamedBytes> source_pieces, target_pieces;  // SentencePiece models for word lists (OPUS-MT)
  std::optional<NamedBytes> shortlist;                     // a lexical table, or its binary form
  MarianShortlistLimits shortlist_limits;                  // only for a table
  std::optional<MarianYaml> config;                        // Marian's decoding settings: decoder.yml
  std::optional<MarianYaml> training;                      // Marian's training settings: model.npz.yml
  std::optional<OpusBpe> bpe;  // tokenization and BPE for word lists (older OPUS-MT)
  bool normalizes = false;     // whether text is first processed by the scripts of OPUS-MT
};

/// Whether there is a Marian model at `path`: a file of weights, a configuration that names one, or a folder
/// or zip archive with either. Files that end in .gz are treated like their contents.
bool is_marian_model(const std::string& path);

/// Finds and maps the files of a model. A configuration gives their names. Without a configuration, files
/// beside the weights must have the names of Firefox's models (vocab.*.spm, srcvocab.*.spm and
/// trgvocab.*.spm, lex.*.bin). `files` replaces the vocabularies. Throws Error that says what is missing, and
/// how to name it.
MarianPackage open_marian_package(const std::string& path, const ForeignFiles& files);

/// Returns the files that are read for the model at `path`; none for a zip archive, which contains all of
/// them. Throws Error if one is missing.
std::vector<std::string> files_of_marian_model(const std::string& path);

}  // namespace nmt
