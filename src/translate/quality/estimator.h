// Runs the estimator of a COMET model, which computes scores from vectors of texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nn/comet/comet_model.h"
#include "tensor/workers.h"

namespace nmt {

class Estimator {
 public:
  using Vector = std::vector<float>;  // d_model numbers, or features

  /// `model` and `workers`, which drive the device of its weights, must outlive this object.
  Estimator(const CometModel& model, Workers& workers) : model_(model), workers_(workers) {}

  /// Returns the features of a translation, its source, and its reference unless that is empty.
  static Vector features(const Vector& translation, const Vector& source, const Vector& reference);
  /// Returns the scores of `count` rows of features; `row(i)` returns one of them, on any thread. Throws
  /// Error if the network computes NaN or infinity.
  using Row = std::function<Vector(std::size_t number)>;
  std::vector<double> scores(std::size_t count, const Row& row) const;
  /// Returns the scores of the vectors `translations`, of one source, with each vector as reference: that of
  /// translations[i] and vectors[j] is at [i * vectors.size() + j]. Only for models of kind regression. The
  /// terms of the first layer that depend on one vector are computed once for it, and those of a product or a
  /// difference once for both directions. Throws as scores() does.
  std::vector<double> compare(const Vector& source, std::span<const Vector> vectors,
                              const std::vector<std::size_t>& translations) const;

 private:
  struct Pair;
  /// Returns the pairs of compare(), each for both directions if they are needed; those come first.
  static std::vector<Pair> pairs_of(std::size_t vectors, const std::vector<std::size_t>& translations);
  /// Calls `take(begin, end, worker)` for pieces of `count` rows.
  using Take = std::function<void(std::size_t begin, std::size_t end, Worker& worker)>;
  void each_piece(std::size_t count, const Take& take) const;
  /// Returns products of rows with columns of the first layer; see CometModel::part_of_first_layer().
  std::vector<Vector> parts_of_first_layer(std::size_t count, const Row& row, std::int64_t first) const;
  /// Writes the scores that the network has computed.
  void read_scores(Worker& worker, const Var& outputs, double* scores) const;

  const CometModel& model_;
  Workers& workers_;
};

}  // namespace nmt
