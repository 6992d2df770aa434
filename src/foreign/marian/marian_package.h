// Which files make up a model of Marian.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "foreign/containers/package.h"
#include "foreign/marian/marian_settings.h"
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
  std::string model;                                       // what messages call the file of the weights
  MemoryMap weights;                                       // .npz or .bin
  NamedBytes source_vocabulary, target_vocabulary;         // .spm, or a list of words
  std::optional<NamedBytes> source_pieces, target_pieces;  // SentencePiece models in front of lists (OPUS-MT)
  std::optional<MarianYaml> decoder;                       // decoder.yml
  std::optional<OpusBpe> bpe;  // text is tokenized and divided by BPE in front of lists (older OPUS-MT)
  bool normalizes = false;     // text goes through the scripts of OPUS-MT first
};

/// Finds and maps them. Throws Error that tells what is missing, and how it can be named.
MarianPackage open_marian_package(const std::string& path, const ForeignFiles& files);

/// Those that are read for the model at `path`; of a zip archive, which has all of them, none. Throws Error
/// where one is missing.
std::vector<std::string> files_of_marian_model(const std::string& path);

}  // namespace nmt
