// OPUS-MT's packages with BPE: the text processing of their preprocess.sh and postprocess.sh.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "data/vocabulary/listed/listed_file.h"
#include "foreign/containers/package.h"

namespace nmt {

/// The text processing of one side of such a package.
struct OpusSide {
  std::string name;  // name of the file of codes for messages
  MemoryMap codes;   // of subword-nmt
  std::optional<MemoryMap> truecaser;
  MosesFacts moses;
};

struct OpusBpe {
  OpusSide source, target;
};

/// Returns the BPE of a package that has source.bpe and target.bpe; nothing for others. Languages are taken
/// from the scripts, README.md or the name of the package. Throws Error that names the package if its scripts
/// run an unknown program on the text, or if a side has several languages.
std::optional<OpusBpe> opus_bpe_in(const Package& package);

/// Returns the commands of a shell script, each a list of words without quotes; the parts of a pipe are
/// separate commands.
std::vector<std::vector<std::string>> commands_in(std::string_view script);

}  // namespace nmt
