// The glossaries that clients have stored on a server.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/log/log.h"
#include "data/text/glossary.h"
#include "data/vocabulary/languages.h"
#include "serve/clients/api_keys.h"

namespace nmt {

/// The terms of a glossary for a pair of languages; without languages, for any pair.
struct Dictionary {
  Languages pair;
  std::shared_ptr<const Glossary> terms;  // not null
};

struct StoredGlossary {
  std::string id;     // a UUID
  std::string owner;  // see owner_of()
  std::string name;
  std::string created;  // "2026-11-30T12:00:00Z"
  std::vector<Dictionary> dictionaries;

  /// Returns the terms for the first pair of languages that `fits`, or else those for any pair; null if there
  /// are none.
  std::shared_ptr<const Glossary> terms_for(const std::function<bool(const Languages& pair)>& fits) const;
};
using StoredGlossaryPtr = std::shared_ptr<const StoredGlossary>;

/// Limits of the glossaries of one owner.
struct GlossaryLimits {
  std::size_t glossaries = 100;
  std::size_t terms = 100'000;  // of all glossaries together
  std::size_t name_characters = 200;
};

/// Returns the owner of the glossaries of a client: the hash of its key in hexadecimal digits; empty for
/// null, where everybody who reaches the server shares glossaries.
std::string owner_of(const ApiClient* client);

/// Glossaries in a folder, one in a file, ID.json. Files are written atomically, so that a glossary that was
/// stored is there after a restart. Thread-safe.
class GlossaryStore {
 public:
  /// Makes the folder if there is none, and reads its files; a file that cannot be read is left alone, with a
  /// warning. `log` must outlive this object. Throws Error if the folder cannot be read or written.
  GlossaryStore(std::string folder, Log& log, GlossaryLimits limits = {});

  /// Reads the files again, because others may have changed them.
  void reload();

  /// Stores a new glossary under a new id. Throws CallError (413) if the owner has too many glossaries or
  /// terms then, UsageError for an empty or long name, without dictionaries, or for two of the same
  /// languages, and CallError (507) if the file cannot be written, which is logged.
  StoredGlossaryPtr add(const std::string& owner, const std::string& name,
                        std::vector<Dictionary> dictionaries);
  /// Replaces the name and the dictionaries of a glossary, which keeps its id and its time. Throws as add()
  /// does, and CallError (404) if the owner has no such glossary.
  StoredGlossaryPtr replace(const std::string& owner, const std::string& id, const std::string& name,
                            std::vector<Dictionary> dictionaries);
  /// Removes a glossary. Requests that use it keep it. Throws CallError (404) if the owner has no such
  /// glossary, and Error if the file cannot be removed.
  void remove(const std::string& owner, const std::string& id);

  /// Returns a glossary of the owner. Throws CallError (404) if there is none.
  StoredGlossaryPtr find(const std::string& owner, const std::string& id) const;
  /// Returns the glossaries of the owner, the oldest first.
  std::vector<StoredGlossaryPtr> list(const std::string& owner) const;

 private:
  std::string path_of(const std::string& id) const { return folder_ + '/' + id + ".json"; }
  /// Returns the glossaries that the files have.
  std::map<std::string, StoredGlossaryPtr> read() const;
  /// Writes and keeps a glossary, in place of one of the same id. The caller must hold the lock.
  StoredGlossaryPtr put(StoredGlossary glossary);
  /// Throws as find() does. The caller must hold the lock.
  const StoredGlossaryPtr& found(const std::string& owner, const std::string& id) const;

  std::string folder_;
  Log& log_;
  GlossaryLimits limits_;
  mutable std::mutex mutex_;
  std::map<std::string, StoredGlossaryPtr> glossaries_;  // by id
};

}  // namespace nmt
