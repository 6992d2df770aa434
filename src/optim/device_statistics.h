// The statistics of training steps where a device can reach them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "graph/operations.h"
#include "tensor/backend.h"
#include "tensor/communicator.h"

namespace nmt {

/// Holds the statistics of an update (StepStatistics) in device memory: what an update computes goes from one
/// operation to the next, and on to the next update, without the host, which reads it when it likes.
class DeviceStatistics {
 public:
  /// `seed` keys dropout, together with the number of the update; `updates`: those made before; `scale`: what
  /// loss_scale() was after them, if anything.
  DeviceStatistics(Backend& backend, std::uint32_t seed, std::int64_t updates = 0,
                   const std::optional<LossScale>& scale = {});

  /// Begins an update over so many target tokens, EOS among them, of all ranks.
  void begin(std::int64_t tokens);
  /// Adds the losses of some of them.
  void add(const Losses& losses);
  /// Adds to the loss what the host knows of it.
  void add(double loss);
  /// Adds to the squared norm of the gradients that of some of them.
  void add_norm(const Tensor& gradients);
  /// Takes together the losses of all ranks, and the norms of different gradients.
  void reduce(Communicator& communicator) const;
  /// Decides whether the update counts. `rates`: of learning in the update of number `first` and in the next,
  /// whichever this one is.
  void count(std::int64_t first, const std::array<double, 2>& rates);

  /// What dropout reads, i32 [1, 2], and the scale of the gradients of losses, [1, 1].
  const Tensor& random() const { return random_; }
  const Tensor& scale() const { return scale_; }
  /// The statistics, f64 [1, kStepStatistics].
  const Tensor& values() const { return values_; }

  /// Waits for all that the device was asked for, and reads them.
  StepStatistics read() const;
  /// The scale of the next update, read as well; none where the device computes in types that need none.
  std::optional<LossScale> loss_scale() const;
  /// Reads them as they will be then; `to` must stay until they are there.
  Transfer read_later(StepStatistics& to) const { return backend_.download_later(&to, values_); }

 private:
  Backend& backend_;
  LossScaling scaling_;
  Tensor values_, random_, scale_;
  Tensor known_;  // a loss and an nll that the host knows, sum [1, 2]
};

}  // namespace nmt
