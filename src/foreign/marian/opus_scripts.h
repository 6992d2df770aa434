// OPUS-MT's packages with BPE: what their preprocess.sh and postprocess.sh do to text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/io/memory_map.h"
#include "data/listed/listed_file.h"
#include "foreign/containers/package.h"

namespace nmt {

/// What one side of such a package does to text.
struct OpusSide {
  std::string name;  // what messages call the file of codes
  MemoryMap codes;   // of subword-nmt
  std::optional<MemoryMap> truecaser;
  MosesFacts moses;
};

struct OpusBpe {
  OpusSide source, target;
};

/// The BPE of a package that has source.bpe and target.bpe; nothing for others. Languages come from the
/// scripts, README.md or the name of the package. Throws Error that names the package where its text goes
/// through a program that is unknown, or where a side has several languages.
std::optional<OpusBpe> opus_bpe_in(const Package& package);

/// The commands of a shell script, each a list of words without quotes; what a pipe connects are several.
std::vector<std::vector<std::string>> commands_in(std::string_view script);

}  // namespace nmt
