// The statistics of training steps in device memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "graph/operations.h"
#include "tensor/backend.h"
#include "tensor/communicator.h"

namespace nmt {

/// Holds the statistics of an update (StepStatistics) in device memory. Operations pass them to each other
/// and to the next update without waiting for the host, which reads them when it needs to.
class DeviceStatistics {
 public:
  /// `seed`: key of dropout, together with the number of the update; `updates`: number of updates made
  /// before; `scale`: what loss_scale() returned after them, if anything.
  DeviceStatistics(Backend& backend, std::uint32_t seed, std::int64_t updates = 0,
                   const std::optional<LossScale>& scale = {});

  /// Begins an update over `tokens` target tokens of all ranks, EOS included.
  void begin(std::int64_t tokens);
  /// Adds losses of some of the update's tokens.
  void add(const Losses& losses);
  /// Adds a loss that the host has computed.
  void add(double loss);
  /// Adds the squared norm of `gradients` to the squared norm of all gradients.
  void add_norm(const Tensor& gradients);
  /// Sums over the ranks the losses, and the squared norms, which each rank computes for a different part of
  /// the gradients.
  void reduce(Communicator& communicator) const;
  /// Decides whether the update counts. `rates`: learning rates of update number `first` and of the next one;
  /// the device picks the rate of the current update.
  void count(std::int64_t first, const std::array<double, 2>& rates);

  /// Return what dropout reads, i32 [1, 2], and the scale of the gradients of losses, [1, 1].
  const Tensor& random() const { return random_; }
  const Tensor& scale() const { return scale_; }
  /// Returns the statistics, f64 [1, kStepStatistics].
  const Tensor& values() const { return values_; }

  /// Waits for all pending work of the device and reads the statistics.
  StepStatistics read() const;
  /// Reads the loss scale of the next update; none if the device computes in types that need no scale.
  std::optional<LossScale> loss_scale() const;
  /// Starts to read the statistics as they are after all work requested so far; `to` must stay valid until
  /// the transfer is done.
  Transfer read_later(StepStatistics& to) const { return backend_.download_later(&to, values_); }

 private:
  Backend& backend_;
  LossScaling scaling_;
  Tensor values_, random_, scale_;
  Tensor known_;  // a loss and an nll computed by the host, sum [1, 2]
};

}  // namespace nmt
