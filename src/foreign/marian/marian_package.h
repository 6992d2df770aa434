// Which files make up a model of Marian.
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

/// A file, mapped, and what messages call it.
struct NamedBytes {
  std::string name;
  MemoryMap bytes;
};

/// The files, and what they say beside weights.
struct MarianPackage {
  NamedBytes weights;                                      // .npz or .bin
  NamedBytes source_vocabulary, target_vocabulary;         // .spm, or a list of words
  std::optional<NamedBytes> source_pieces, target_pieces;  // SentencePiece models in front of lists (OPUS-MT)
  std::optional<NamedBytes> shortlist;                     // a lexical table, or its binary form
  MarianShortlistLimits shortlist_limits;                  // of a table
  std::optional<MarianYaml> config;                        // what Marian decodes with: decoder.yml
  std::optional<OpusBpe> bpe;  // text is tokenized and divided by BPE in front of lists (older OPUS-MT)
  bool normalizes = false;     // text goes through the scripts of OPUS-MT first
};

/// Whether there is a model of Marian at `path`: a file of weights, a configuration that names one, or a
/// folder or zip archive with either. Files that end in .gz count as what is in them.
bool is_marian_model(const std::string& path);

/// Finds and maps the files of a model: those that its configuration names, which may have any name, or,
/// where it has none, those that are beside the weights and called as Firefox's models are (vocab.*.spm,
/// srcvocab.*.spm and trgvocab.*.spm, lex.*.bin). `files` replace the vocabularies. Throws Error that tells
/// what is missing, and how to name it.
MarianPackage open_marian_package(const std::string& path, const ForeignFiles& files);

/// The files that are read for the model at `path`; none for a zip archive, which has all of them. Throws
/// Error where one is missing.
std::vector<std::string> files_of_marian_model(const std::string& path);

}  // namespace nmt
