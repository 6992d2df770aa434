// Optimizers, which update all parameters of a model at once, and a moving average of its weights.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/weights/training_weights.h"
#include "optim/device_statistics.h"

namespace nmt {

/// A buffer of the state of a run, laid out as TrainingWeights::values(), and the prefix of the names of its
/// tensors.
struct StateBuffer {
  std::string prefix;  // "weights."
  Tensor values;
};

/// A vector of the state of a run, equal on all ranks.
struct SharedState {
  std::string name;
  Tensor values;  // [1, n]
};

/// Changes the weights of a model by their gradients.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Sets all gradients to zero.
  void zero_gradients();
  /// Makes one update with the current gradients, summed over the ranks. All ranks call this after adding
  /// their own losses to `statistics`, which afterwards contains the losses of all ranks and the norm of the
  /// gradients before clipping. Frozen parameters are excluded from the norm and the update, and their
  /// moments stay. If the norm or the loss is not finite, nothing changes and the update does not count.
  /// `first`, `rates`: see DeviceStatistics::count().
  void update(DeviceStatistics& statistics, std::int64_t first, const std::array<double, 2>& rates);

  /// Return everything that updates change besides the weights.
  virtual std::vector<StateBuffer> buffers() const { return {}; }
  virtual std::vector<SharedState> shared_state() const { return {}; }

 protected:
  /// `weights` must outlive this object, and must be shared among the ranks if there are several.
  explicit Optimizer(TrainingWeights& weights) : weights_(weights) {}
  TrainingWeights& weights() const { return weights_; }

 private:
  /// Changes the weights once the statistics of the update are complete.
  virtual void step(const DeviceStatistics& statistics) = 0;

  TrainingWeights& weights_;
};

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  // as in Vaswani et al., 2017, 5.3
  double weight_decay = 0;                           // 0: none
  double clip_norm = 0;                              // 0: no clipping
};

class AdamOptimizer final : public Optimizer {
 public:
  /// Allocates two moments for each parameter of the shard.
  AdamOptimizer(TrainingWeights& weights, const AdamSettings& settings);

  /// Returns the first moment, laid out as TrainingWeights::values().
  const Tensor& first_moment() const { return first_moment_; }
  std::vector<StateBuffer> buffers() const override {
    return {{"first_moment.", first_moment_}, {"second_moment.", second_moment_}};
  }

 private:
  void step(const DeviceStatistics& statistics) override;

  AdamSettings settings_;
  Tensor first_moment_, second_moment_;  // laid out as TrainingWeights::values()
};

/// Settings of all optimizers.
struct OptimizerSettings {
  std::string name = "adam";  // one of optimizer_names()
  AdamSettings adam = {};
  bool adafactor_scale = true;  // see AdafactorSettings
};

/// Returns the names of all optimizers.
const std::vector<std::string>& optimizer_names();
/// Makes the optimizer with this name; see Optimizer for `weights`.
std::unique_ptr<Optimizer> make_optimizer(TrainingWeights& weights, const OptimizerSettings& settings);

/// A moving average of all weights of a model.
class MovingAverageOfWeights {
 public:
  /// Starts from the current weights, which must outlive this object. `decay`: the weight of the old average
  /// in each update, above 0.
  MovingAverageOfWeights(TrainingWeights& weights, double decay);

  /// Adds the weights after an update to the average, unless the update was skipped; frozen weights are left
  /// alone. See MovingAverage. `statistics`: of the update.
  void update(const DeviceStatistics& statistics);

  /// Returns the average, laid out as TrainingWeights::values().
  const Tensor& values() const { return average_; }
  /// Swaps the average and the weights of the model; called on all ranks.
  void exchange();

 private:
  TrainingWeights& weights_;
  double decay_;
  Tensor average_, spare_;
};

}  // namespace nmt
