// Adafactor (Shazeer and Stern, 2018): second moments of matrices as the product of a row and a column.
#pragma once

#include <vector>

#include "optim/optimizer.h"

namespace nmt {

struct AdafactorSettings {
  bool scales = true;       // whether the rate of a matrix is multiplied by its root mean square
  double weight_decay = 0;  // 0: none
  double clip_norm = 0;     // 0: no clipping of all gradients together; updates are always clipped
};

/// Each parameter is a matrix; see AdafactorSums for the formulas. All ranks have the moments of all
/// matrices, which are small: they add up the sums of their pieces.
class AdafactorOptimizer final : public Optimizer {
 public:
  AdafactorOptimizer(TrainingWeights& weights, const AdafactorSettings& settings);

  std::vector<SharedState> shared_state() const override;

 private:
  /// Everything about one parameter that is not as large as the parameter.
  struct Matrix {
    const Parameters::Entry* entry;
    Tensor row_moments, column_moments;  // master [1, rows], [1, columns]
    Tensor row_factors, column_factors;
    Tensor row_sums, column_sums;  // f64, slices of sums_
    Tensor squares;                // f64 [1, 2], a slice of squares_
  };

  void step(const DeviceStatistics& statistics) override;
  /// Calls work(matrix, piece, elements) for all pieces of this rank of parameters that are trained.
  /// `only_own`: without those of which another rank has copies.
  template <class Work>
  void for_pieces(bool only_own, const Work& work) const;
  /// Adds up sums over the ranks.
  void reduce(const Tensor& sums) const;

  AdafactorSettings settings_;
  std::vector<Matrix> matrices_;
  Tensor sums_, squares_;
};

}  // namespace nmt
