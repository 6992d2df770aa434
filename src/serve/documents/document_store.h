// The documents that clients have sent, and their translations.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/text/named.h"
#include "serve/documents/sent_document.h"

namespace nmt {

enum class DocumentState : std::uint8_t { queued, translating, done, failed };

template <>
struct Names<DocumentState> {
  static constexpr std::array<Named<DocumentState>, 4> kAll = {{{DocumentState::queued, "queued"},
                                                                {DocumentState::translating, "translating"},
                                                                {DocumentState::done, "done"},
                                                                {DocumentState::failed, "failed"}}};
};

/// The state of a document, for its owner.
struct DocumentStatus {
  std::string id;    // a UUID
  std::string key;   // another one, which only some interfaces tell
  std::string name;  // of its file
  DocumentState state;
  std::int64_t characters;  // of its texts; 0 until they have been counted
  double progress;          // from 0 to 1; never decreases
  double seconds;           // since the translation has begun
  std::string error;        // if it has failed
  int failure;              // then a status of HTTP: 422, or that of a CallError
  std::string expires;      // "2026-11-30T12:00:00Z", if it is done or has failed
};

/// The translation of a document.
struct TranslatedDocument {
  std::string name;  // of its file: "report.de.docx"
  std::string type;  // media type
  std::shared_ptr<const MemoryMap> file;
};

struct DocumentLimits {
  std::size_t of_owner = 20, in_total = 100;  // documents that are stored, in any state
  std::size_t at_once = 3;                    // of a client that are translated at the same time
  std::chrono::seconds lifetime{3600};        // of a document after its end
};

/// Translates documents on threads of its own, which wait for models most of the time. The documents of a
/// client begin in order, a few at a time, and never wait for those of other clients: the models divide their
/// time among clients (see FairTurns). Documents and translations are in unnamed files, which vanish when
/// they are removed, expire, or with this object. Thread-safe.
class DocumentStore {
 public:
  using Clock = std::chrono::steady_clock;
  /// Translates a document; throws LimitReached if it has to wait until the client may have more, in which
  /// case it is queued again, and other exceptions if it cannot be translated, or when a stop is requested.
  /// A CallError is a failure with a status of its own.
  using Translate =
      std::function<MemoryMap(const SentDocument& document, const std::shared_ptr<DocumentProgress>& progress,
                              const std::stop_token& stop)>;
  /// Called when the translation of a document ends; must not throw.
  using Ended = std::function<void()>;

  /// `log` takes an entry for each document whose translation ends: the request that sent it, with status
  /// 200, 422 or that of a CallError if it has failed, or 499 if it was cancelled.
  DocumentStore(Translate translate, std::function<void(const AccessEntry&)> log, DocumentLimits limits);
  /// Cancels all translations.
  ~DocumentStore();
  DocumentStore(const DocumentStore&) = delete;
  DocumentStore& operator=(const DocumentStore&) = delete;

  /// Adds a document, which is translated when its turn comes. Throws LimitReached if there are too many.
  DocumentStatus add(SentDocument document, Ended ended = nullptr);

  // The following throw CallError (404) if the owner has no such document.

  DocumentStatus status(const std::string& owner, const std::string& id) const;
  /// Returns the translation. Throws CallError (409) if it is not done.
  TranslatedDocument result(const std::string& owner, const std::string& id) const;
  /// Removes a document, and cancels its translation.
  void remove(const std::string& owner, const std::string& id);

  /// Removes a document as remove() does, if there is one.
  void drop(const std::string& owner, const std::string& id);
  /// Returns the translation of a document that is shared, by its key. Throws CallError (404) if there is
  /// none.
  TranslatedDocument shared_result(const std::string& key) const;
  /// Cancels the translations for which nobody waits: those of documents that are not shared.
  void cancel();

  /// Returns the documents of an owner, the oldest first.
  std::vector<DocumentStatus> list(const std::string& owner) const;
  /// Returns how many documents wait or are being translated.
  std::int64_t under_way() const;
  /// Removes the documents whose lifetime is over.
  void expire(Clock::time_point now);

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;

  /// Runs on each thread: translates documents.
  void work(const std::stop_token& stop);
  void translate(Job& job);
  /// Removes and returns the queued document whose turn it is; null if there is none. The caller must hold
  /// the lock.
  JobPtr take_next();
  /// Queues a document again, until it may be translated.
  void postpone(Job& job, std::chrono::seconds time);
  /// Records the exception that is being handled as the failure of a document, with a status of HTTP.
  /// Returns the status, or that of a cancelled document.
  int failed(Job& job, int status);
  /// Records the end of a translation.
  void end(Job& job, int status);
  DocumentStatus status_of(const Job& job) const;
  static TranslatedDocument result_of(const Job& job);
  const JobPtr& found(const std::string& owner, const std::string& id) const;

  Translate translate_;
  std::function<void(const AccessEntry&)> log_;
  DocumentLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<JobPtr> jobs_;  // the oldest first
  std::vector<std::jthread> threads_;
};

}  // namespace nmt
