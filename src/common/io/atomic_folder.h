// Folders that appear whole or not at all.
#pragma once

#include <string>

namespace nmt {

/// A folder whose files are written elsewhere at first, beside it.
class AtomicFolder {
 public:
  /// `path` need not be there. Throws Error when it is something else than a folder, when it has files unless
  /// `overwrite`, and when nothing can be written beside it.
  AtomicFolder(const std::string& path, bool overwrite);
  /// Removes what is not in place.
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Throws Error where the constructor would.
  static void check(const std::string& path, bool overwrite);

  /// Where to write its files in the meantime, which have no folders of their own.
  const std::string& place() const { return temporary_; }

  /// Puts the folder in place, for the one that is there. Call once, last. Throws Error when that one has
  /// anything but files of the same names, which would be lost, or else stand among these.
  void commit();

 private:
  void check_replaceable() const;
  void put_in_place();

  std::string path_;  // as the user gave it, for messages
  std::string target_, temporary_;
};

}  // namespace nmt
