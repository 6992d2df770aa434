// The models of a server, which are opened in parallel and can be reloaded while they are used.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/log/log.h"
#include "serve/served_model.h"

namespace nmt {

/// Opens and closes models. Models of one file share an OpenedModel and its batches; see shared_models(). If
/// ServingSettings::memory is less than all models take, only the first ones that fit are opened at first.
/// Other models are opened on request, and the least recently used ones are closed for them. Until a model
/// has been opened, its memory is estimated as the size of its file. All functions are thread-safe.
class ServedModels {
 public:
  /// Begins to open the models. Throws UsageError if there is none, if two have the same name, or if memory
  /// is too small for any `at_once` of them. `log` must outlive this object.
  ServedModels(std::vector<ModelSource> sources, const ServingSettings& settings, std::size_t at_once,
               Log& log);
  /// Ends all work of the models.
  ~ServedModels();
  ServedModels(const ServedModels&) = delete;
  ServedModels& operator=(const ServedModels&) = delete;

  /// Reopens all open models, after those that are being opened now. A new version replaces the old one when
  /// it is ready, and the old version is closed after its last request. If a model cannot be reopened, the
  /// old version stays, with a warning.
  void reload();

  /// Throws the failure to open one of the first models, if any.
  void check() const;
  /// Whether the first models have all been opened.
  bool are_ready() const;

  const std::vector<ModelSource>& sources() const { return sources_; }
  /// Whether a model is open.
  bool is_open(std::size_t model) const;
  /// Whether ServingSettings::memory allows these models to be open at the same time.
  bool fit_together(const std::vector<std::size_t>& models) const;
  /// Returns a model; if it is not open, requests that it be opened and returns null. The caller must release
  /// it on the thread that took it, not on a thread of the model.
  ServedModelPtr take(std::size_t model);
  /// The failure to open a model on request; null if it is open, or may still be opened.
  std::exception_ptr failure_of(std::size_t model) const;

 private:
  using Clock = std::chrono::steady_clock;

  /// An open file, and the models under which it is served.
  struct OpenFile {
    std::deque<ServedModel> models = {};  // as in the slot; the service of the file may still use them
    OpenedModel file;
  };
  using OpenFilePtr = std::shared_ptr<OpenFile>;

  struct Slot {
    std::vector<std::size_t> models;  // numbers of the models
    std::string name;                 // of all models, for logs
    std::uintmax_t bytes = 0;         // of memory, see OpenedModel::bytes(); of the file until it was opened
    OpenFilePtr file = nullptr;
    std::uint64_t wanted = 0;  // event count since which it is requested; 0: not requested
    std::uint64_t used = 0;    // event count at which it was last taken
    Clock::time_point opened = {};
    bool is_taken = false;  // since it was opened
    std::exception_ptr failure = nullptr;
  };
  /// A file that is closed after its last requests, and its memory.
  struct Leaving {
    OpenFilePtr file;
    std::uintmax_t bytes;
  };

  void make_slots();
  const Slot& slot_of(std::size_t model) const { return slots_[slots_of_models_[model]]; }

  /// Runs on the thread that opens files and closes those that are not used any more. The following functions
  /// refer to slots by number.
  void work(const std::stop_token& stop);
  /// Returns the requested slots for which there is memory, in the order of the requests. Closes other files
  /// to make room for the next one.
  std::vector<std::size_t> due();
  /// Closes files until there is memory for this slot and for the slots `beside` it; returns false if there
  /// is not yet enough.
  bool make_room_for(std::size_t slot, const std::vector<std::size_t>& beside);
  /// Closes the file of a slot after its last requests.
  void close(Slot& slot);
  /// Returns whether a model was opened just now for a client that has not taken it yet. It is not closed.
  static bool is_awaited(const Slot& slot);
  /// Returns the least recently used slot that may be closed; the number of slots if there is none.
  std::size_t least_used(const std::vector<std::size_t>& beside) const;
  void open_all(const std::vector<std::size_t>& slots);
  /// Returns the memory of the open files.
  std::uintmax_t bytes_open() const;
  /// Whether the open files take more memory than they may, because it was estimated as less.
  bool has_surplus() const;
  /// Closes files while there is a surplus.
  void close_surplus();
  void open(Slot& slot);
  /// Closes files whose last requests have been answered; returns whether there were any.
  bool release_unused();

  std::vector<ModelSource> sources_;
  ServingSettings settings_;
  Log& log_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> slots_of_models_;
  std::vector<Leaving> leaving_;
  std::exception_ptr failure_;
  std::uint64_t events_ = 0;
  bool has_changed_ = false, are_ready_ = false;
  std::jthread worker_;
};

}  // namespace nmt
