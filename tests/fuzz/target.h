// Loaders of untrusted files and requests, as targets of a fuzzer.
#pragma once

#include <string>
#include <vector>

namespace nmt::fuzz {

/// A file as pieces that can be changed separately.
using Parts = std::vector<std::string>;

inline Parts one_part(const std::string& bytes) {
  return {bytes};
}
inline std::string joined(const Parts& parts) {
  std::string bytes;
  for (const std::string& part : parts) bytes += part;
  return bytes;
}

/// A loader. Inputs are files as on disk, so that what a fuzzer finds can be given to the program.
struct Target {
  std::string name;
  /// Returns small files that are valid, or nearly.
  std::vector<std::string> (*seeds)();
  /// Returns texts that have a meaning for the loader.
  std::vector<std::string> (*words)();
  /// Loads a file as far as the program does. Anything thrown but an Error is a finding.
  void (*load)(const std::string& bytes);
  /// Splits a file into pieces, or joins pieces to a file with correct lengths and checksums, so that changes
  /// are not rejected by these.
  Parts (*split)(const std::string& bytes) = one_part;
  std::string (*join)(const Parts& parts) = joined;
};

Target text_target();
Target yaml_target();
Target command_line_target();
Target model_target();
Target state_target();
Target packed_corpus_target();
Target vocabulary_target();
Target listed_vocabulary_target();
Target word_list_target();
Target npz_target();
Target marian_binary_target();
Target marian_shortlist_target();
Target torch_checkpoint_target();
Target fairseq_checkpoint_target();
Target comet_checkpoint_target();
Target comet_hparams_target();
Target ctranslate2_binary_target();
Target huggingface_config_target();
Target tokenizer_json_target();
Target document_target();
Target request_target();
Target form_target();

/// Returns all targets.
std::vector<Target> targets();

/// Whether a target rejects a file with an Error.
bool refuses(const Target& target, const std::string& bytes);

}  // namespace nmt::fuzz
