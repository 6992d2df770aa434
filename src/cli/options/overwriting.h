// Protects the inputs of a command from being overwritten by its outputs, and these from each other.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// A file as the user gave it.
struct NamedFile {
  std::string name;  // the option that named it: "--input"; empty for the output of a command without one
  std::string path;  // "-": the standard stream
};

/// Throws UsageError if one of `outputs` is one of `inputs`, by whatever name or link; files are compared by
/// device and inode. The inputs include all files of a model of another toolkit and the base of updates of
/// low rank (see files_of_model()), and the files of a run directory, those that its configuration names, and
/// the directory itself. Files that do not exist, devices (/dev/null) and pipes are allowed.
void refuse_overwriting(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// Throws UsageError if a folder whose files are replaced has one of `inputs`, or of the files that they
/// stand for, as in refuse_overwriting().
void refuse_replacing(const NamedFile& folder, const std::vector<NamedFile>& inputs);

/// Throws UsageError if two outputs are the same file, which need not exist yet. Devices and pipes are
/// allowed.
void refuse_same_output(const std::vector<NamedFile>& outputs);

}  // namespace nmt
