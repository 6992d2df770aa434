// Folders: what is in them, and folders that appear complete or not at all.
#pragma once

#include <string>
#include <vector>

#include "common/io/temporary_name.h"

namespace nmt {

/// Whether `path` is a regular file, or a link to one. False if it is missing or cannot be inspected.
bool is_file(const std::string& path);

/// Returns the paths of a folder's entries in any order; none if it is not a readable folder.
std::vector<std::string> entries_of(const std::string& folder);

/// Returns the extension of a path in lower case, without its dot; empty if there is none.
std::string extension_of(const std::string& path);

/// Returns the folder of a path, "." for a bare name.
std::string parent_folder(const std::string& path);

/// Syncs a folder's entries to disk, so that a new file keeps its name after a power failure. Does nothing if
/// the file system does not support it.
void sync_folder(const std::string& folder);

/// A folder whose files are first written to a temporary folder beside it, which is removed if it was not put
/// in place, even if a signal ends the process.
class AtomicFolder {
 public:
  /// `path` need not exist. Throws Error if it is not a folder, if it contains files and `overwrite` is
  /// false, and if nothing can be written beside it.
  AtomicFolder(const std::string& path, bool overwrite);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Throws Error if the constructor would.
  static void check(const std::string& path, bool overwrite);

  /// Returns the temporary folder to write the files to. It must not contain subfolders.
  const std::string& place() const { return temporary_.path(); }

  /// Puts the folder in place of an existing one. Call once, last. Throws Error if the existing folder
  /// contains anything but files of the same names, as those would be lost.
  void commit();

 private:
  void create_temporary();
  void check_replaceable() const;
  void put_in_place();

  std::string path_;  // as the user gave it, for messages
  std::string target_;
  TemporaryName temporary_;
  FileDescriptor lock_;  // of the temporary folder, see remove_abandoned()
};

}  // namespace nmt
