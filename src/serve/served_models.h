// The models of a server, which are opened side by side, and opened anew while they are used.
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

using ServedModelPtr = std::shared_ptr<ServedModel>;

/// Those of one file share what is opened of it, and its batches; see shared_models(). All are open, unless
/// ServingSettings::memory is less than they take: then the first ones are that fit, the others are opened
/// when they are asked for, and those make room that have not been for the longest time. All functions are
/// for any thread.
class ServedModels {
 public:
  /// Begins to open them. Throws UsageError where there is none, two have the same name, or memory is too
  /// little for any `at_once` of them. `log` outlives it.
  ServedModels(std::vector<ModelSource> sources, const ServingSettings& settings, std::size_t at_once,
               Log& log);
  /// Ends all of their work.
  ~ServedModels();
  ServedModels(const ServedModels&) = delete;
  ServedModels& operator=(const ServedModels&) = delete;

  /// Opens all models that are open anew, when those that are being opened are open. Each takes the place of
  /// what it was when it is there, and what was goes when its last request has been answered. One that cannot
  /// be opened stays what it was, with a warning.
  void reload();

  /// Throws what has kept a model from being opened at first.
  void check() const;
  /// Whether all were open that are at first.
  bool are_ready() const;

  const std::vector<ModelSource>& sources() const { return sources_; }
  bool is_open(std::size_t model) const;
  /// Whether these models may all be open at a time, by ServingSettings::memory.
  bool fit_together(const std::vector<std::size_t>& models) const;
  /// The model of such a number, or nothing while it is not open, which it will be then. Who keeps it lets go
  /// of it on the thread that took it, not on one of its own.
  ServedModelPtr take(std::size_t model);
  /// Why it could not be opened when it was asked for; nothing where it is open, or may yet be.
  std::exception_ptr failure_of(std::size_t model) const;

 private:
  using Clock = std::chrono::steady_clock;

  /// What is opened at once: a file, and the models that it is served as.
  struct OpenFile {
    std::deque<ServedModel> models = {};  // as those of the slot; the service of the file may yet use them
    OpenedModel file;
  };
  using OpenFilePtr = std::shared_ptr<OpenFile>;

  struct Slot {
    std::vector<std::size_t> models;  // their numbers
    std::string name;                 // of all, for logs
    std::uintmax_t bytes = 0;         // of its file
    OpenFilePtr file = nullptr;
    std::uint64_t wanted = 0;  // since which count of events; 0: it is not to be opened
    std::uint64_t used = 0;    // when it was taken last, by that count
    Clock::time_point opened = {};
    bool is_taken = false;  // since it was opened
    std::exception_ptr failure = nullptr;
  };
  /// A file whose requests end, and its bytes.
  struct Leaving {
    OpenFilePtr file;
    std::uintmax_t bytes;
  };

  void make_slots();
  const Slot& slot_of(std::size_t model) const { return slots_[slots_of_models_[model]]; }

  /// The thread that opens files, and lets go of those that are not used any more. What follows is about
  /// slots, by number.
  void work(const std::stop_token& stop);
  /// Those that are to be opened and for which there is memory, as they were asked for. The others make room
  /// for the next one.
  std::vector<std::size_t> due();
  /// Lets go of files until there is memory for this one beside those; false where there is not yet.
  bool make_room_for(std::size_t slot, const std::vector<std::size_t>& beside);
  /// The one that has not been used for the longest time, of those that may go; the number of slots where
  /// none may.
  std::size_t least_used(const std::vector<std::size_t>& beside) const;
  void open_all(const std::vector<std::size_t>& slots);
  void open(Slot& slot);
  void release_unused();

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
