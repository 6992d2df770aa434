// The models of a server, which are opened side by side, and opened anew while they are used.
#pragma once

#include <condition_variable>
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

/// All functions are for any thread.
class ServedModels {
 public:
  /// Begins to open them. Throws UsageError where there is none, or two have the same name. `log` outlives
  /// it.
  ServedModels(std::vector<ModelSource> sources, const ServingSettings& settings, Log& log);
  /// Ends all of their work.
  ~ServedModels();
  ServedModels(const ServedModels&) = delete;
  ServedModels& operator=(const ServedModels&) = delete;

  /// Opens all models anew, when those that are being opened are open. Each takes the place of what it was
  /// when it is there, and what was goes when its last request has been answered. One that cannot be opened
  /// stays what it was, with a warning.
  void reload();

  /// Throws what has kept a model from being opened at first.
  void check() const;
  bool are_ready() const;

  const std::vector<ModelSource>& sources() const { return sources_; }
  /// The model of such a number, or nothing while it is not open. Who keeps it lets go of it on the thread
  /// that took it, not on one of its own.
  ServedModelPtr take(std::size_t model) const;

 private:
  /// The thread that opens models, and lets go of those that are not used any more.
  void work(const std::stop_token& stop);
  void open_all();
  void open(std::size_t model);
  void release_unused();

  std::vector<ModelSource> sources_;
  ServingSettings settings_;
  Log& log_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<ServedModelPtr> models_, replaced_;
  std::exception_ptr failure_;
  bool is_asked_ = true;  // to open all models
  std::jthread worker_;
};

}  // namespace nmt
