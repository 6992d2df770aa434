// Weights for training: masters and gradients in flat buffers, which ranks can divide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "nn/weights/parameters.h"
#include "nn/weights/shard.h"
#include "tensor/backend.h"

namespace nmt {

class ModelFile;

/// Memory for a set of parameters to be trained in. Each is a span of one flat buffer of masters, vectors
/// before matrices, and its gradient the same span of another, so Adam is one launch, a sum over ranks is a
/// few calls, and a checkpoint is a walk over names. Where operations compute in another type than that of
/// masters, they read matrices from a copy in that type. Gaps between parameters hold zeros.
class TrainingWeights {
 public:
  /// Gives all parameters values and gradients on this device, zeroed. Both must outlive this.
  TrainingWeights(Parameters& parameters, Backend& backend);
  TrainingWeights(const TrainingWeights&) = delete;
  TrainingWeights& operator=(const TrainingWeights&) = delete;

  /// Draws all values as nmt::initialize() does, or takes them from a file as nmt::load(); before
  /// distribute().
  void initialize(std::uint64_t seed);
  void load(const ModelFile& file);

  /// From now on the ranks of `ranks`, which have the same values, update them together; it must outlive
  /// this. With `divided`, a rank keeps the masters of its shard alone, and operations read matrices from the
  /// compute copy.
  void distribute(Communicator& ranks, bool divided);
  /// From now on, operations read matrices of weights as inference in int8 does, rows rounded to 8 bits, and
  /// so what products with them take, while masters stay as they are (quantization-aware training: Jacob et
  /// al., 2018); after distribute().
  void read_as_int8();
  /// What of the flat buffers values() are, and how all of them belong to the ranks.
  const Shard& shard() const { return shard_; }
  Communicator& ranks() const { return *ranks_; }

  /// From now on, updates leave the parameters of these names as they are; after distribute().
  void freeze(const std::set<std::string>& names);
  /// The pieces of shard() that updates change: all of it but what is frozen.
  const std::vector<Shard::Piece>& trained() const { return trained_; }

  /// The flat buffers [1, n] of masters (of those in shard()) and of all gradients.
  const Tensor& values() const { return values_; }
  const Tensor& gradients() const { return gradients_; }
  /// All values in the type that is computed in, for Adam to write those in shard(); empty where masters are
  /// of that type, not divided, and not read as int8.
  const Tensor& compute_copy() const { return compute_copy_; }
  /// Must be called, on all ranks, after values were written by anything but Adam.
  void values_changed();
  /// Must be called, on all ranks, after Adam has written values() and compute_copy(): completes the compute
  /// copy.
  void updated();

  /// The part of a flat buffer, of which nothing is divided, that belongs to a parameter: [rows, columns],
  /// [1, columns] for vectors.
  static Tensor span(const Tensor& flat, const Parameters::Entry& entry);
  /// On rank 0: the elements of a parameter in a buffer laid out as values(), with what is divided gathered
  /// from all ranks, which call this at the same time; on the others nothing.
  std::vector<std::byte> gather(const Parameters::Entry& entry, const Tensor& flat, DType dtype) const;

  const Parameters& parameters() const { return parameters_; }
  Backend& backend() const { return backend_; }

 private:
  /// Gives each parameter its place in the flat buffers.
  void lay_out();
  /// Divides the flat buffers among ranks.
  void divide(const Shard& shard);
  /// Lets operations find values and gradients.
  void point_into_buffers();
  /// Writes what is in shard() into the compute copy.
  void convert_values();

  Parameters& parameters_;
  Backend& backend_;
  std::int64_t size_ = 0, vectors_ = 0;  // elements of flat buffers, and of the vectors among them
  SingleRank alone_;
  Communicator* ranks_ = &alone_;
  Shard shard_;
  std::vector<Shard::Piece> trained_;
  bool reads_as_int8_ = false;
  Tensor values_, compute_copy_, gradients_;
};

}  // namespace nmt
