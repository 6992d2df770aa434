// The folder in which all programs for the Hugging Face Hub keep its files, laid out as by huggingface_hub:
//   models--OWNER--NAME/refs/REVISION             the commit that a branch or tag was last
//   models--OWNER--NAME/refs/COMMIT               itself, once all that a model needs of it was there
//   models--OWNER--NAME/blobs/ETAG                contents
//   models--OWNER--NAME/snapshots/COMMIT/FILE     symbolic links to contents
//   .locks/models--OWNER--NAME/ETAG.lock          locked while contents are fetched
#pragma once

#include <string>
#include <vector>

#include "common/file_descriptor.h"
#include "common/job_context.h"

namespace nmt {

/// Returns the folder models--OWNER--NAME of a path in one of its snapshots; empty for paths elsewhere.
std::string repository_folder(const std::string& path);

/// The files of one repository.
class HubCache {
 public:
  /// `folder`: that of the cache, which need not exist. `repository`: "OWNER/NAME".
  HubCache(const std::string& folder, const std::string& repository);

  /// Returns the commit of a revision when it was last fetched; empty if it was never fetched.
  std::string commit_of(const std::string& revision) const;
  /// Records the commit of a revision. Throws Error if it cannot be written.
  void set_commit(const std::string& revision, const std::string& commit) const;

  /// Whether the cache once had all files of a commit that a model needs, as mark_whole() has recorded.
  bool was_whole(const std::string& commit) const;
  /// Records that the cache has all files of a commit that a model needs. A cache that cannot be written does
  /// not change.
  void mark_whole(const std::string& commit) const;

  /// Returns the folder with the files of a commit, which may be missing.
  std::string snapshot(const std::string& commit) const;
  /// Returns the names of the files of a commit, and of those in its folders, whose contents are in the
  /// cache.
  std::vector<std::string> files(const std::string& commit) const;

  /// Returns the path of contents, or of their beginning while they are being fetched.
  std::string blob(const std::string& etag) const;
  std::string incomplete_blob(const std::string& etag) const;
  /// Makes contents appear as a file of a commit. Throws Error if that fails.
  void link(const std::string& etag, const std::string& commit, const std::string& file) const;

  /// Waits until no other program fetches these contents, and returns a lock that lasts as long as it is
  /// open. Throws Interrupted on a request to stop, Error if the cache cannot be written.
  FileDescriptor lock(const std::string& etag, const JobContext& job) const;

 private:
  /// Returns the commit that a reference names; empty if there is none.
  std::string reference(const std::string& name) const;
  void set_reference(const std::string& name, const std::string& commit) const;

  std::string root_, locks_;
};

}  // namespace nmt
