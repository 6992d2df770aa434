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

/// The files of one repository.
class HubCache {
 public:
  /// `folder`: that of the cache, which need not exist. `repository`: "OWNER/NAME".
  HubCache(const std::string& folder, const std::string& repository);

  /// Returns the commit that a revision was when it was last fetched; empty if it never was.
  std::string commit_of(const std::string& revision) const;
  /// Records the commit that a revision is. Throws Error if it cannot be written.
  void set_commit(const std::string& revision, const std::string& commit) const;

  /// Whether all that a model needs of a commit was there once, as mark_whole() has recorded.
  bool was_whole(const std::string& commit) const;
  /// Records that all that a model needs of a commit is there. A cache that cannot be written stays as it is.
  void mark_whole(const std::string& commit) const;

  /// Returns the folder with the files of a commit, which may be missing.
  std::string snapshot(const std::string& commit) const;
  /// Returns the names of the files of a commit whose contents are there.
  std::vector<std::string> files(const std::string& commit) const;

  /// Returns the path of contents, and of their beginning while they are fetched.
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
