// No output over an input: what a command reads must still be there when it is done.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// A file as the user gave it.
struct NamedFile {
  std::string name;  // of what gave it: "--input"
  std::string path;  // "-": the standard stream
};

/// Throws UsageError when `output` is one of `inputs`, by whatever name or link: files are told apart by
/// device and inode. Of a model of another toolkit, these are all files that it is read from (see
/// files_of_model()), of a run what it has made, and the folder itself. Files that do not exist, devices
/// (/dev/null) and pipes are nobody's loss.
void refuse_overwriting(const NamedFile& output, const std::vector<NamedFile>& inputs);

}  // namespace nmt
