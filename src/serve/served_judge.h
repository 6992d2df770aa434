// The judge of a server, which can be reloaded while it is used.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "common/log/log.h"
#include "serve/quality_judge.h"

namespace nmt {

/// Opens a metric that does not need references, and logs that.
using OpenMetric = std::function<std::shared_ptr<const QualityMetric>()>;

/// Opens and closes the model that judges translations, on a thread of its own. All functions are
/// thread-safe.
class ServedJudge {
 public:
  /// Begins to open the model. `capacity`: see QualityJudge. `log` must outlive this object.
  ServedJudge(OpenMetric open, std::size_t capacity, Log& log);
  ServedJudge(const ServedJudge&) = delete;
  ServedJudge& operator=(const ServedJudge&) = delete;

  /// Opens the model anew. The new judge replaces the old one when it is ready, and the old one is closed
  /// after its last request. If the model cannot be opened, the old one stays, with a warning.
  void reload();
  /// Throws the failure to open the model at first, if any.
  void check() const;
  /// Whether it has been opened.
  bool is_ready() const { return take() != nullptr; }
  /// Returns the judge; null until it is ready. A request must release it on the thread of the server.
  std::shared_ptr<QualityJudge> take() const;

 private:
  void work(const std::stop_token& stop);
  void open_judge();
  /// Closes old judges that no request uses.
  void release_unused();

  OpenMetric open_;
  std::size_t capacity_;
  Log& log_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_wanted_ = true;  // to be opened
  std::shared_ptr<QualityJudge> judge_;
  std::vector<std::shared_ptr<QualityJudge>> leaving_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace nmt
