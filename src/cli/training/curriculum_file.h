// Reads curricula: those of nmt, and the configurations of OpusTrainer.
#pragma once

#include <string>
#include <vector>

#include "engine/curriculum.h"

namespace nmt {

/// Reads a curriculum (doc/stages.md). Files that it names are relative to its folder. Throws UsageError with
/// file and line for anything else, and as Curriculum::check() does.
Curriculum read_curriculum(const std::string& path);

/// A curriculum that was converted.
struct ConvertedCurriculum {
  Curriculum curriculum;
  std::vector<std::string> left_out;  // what has no counterpart: "Tags: custom_detok_src"
};

/// Reads a configuration of OpusTrainer. Throws UsageError as read_curriculum() does.
ConvertedCurriculum read_opustrainer(const std::string& path);

}  // namespace nmt
