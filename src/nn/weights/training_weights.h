// Weights for training: master weights and gradients in flat buffers, which can be divided among ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nn/weights/parameters.h"
#include "tensor/backend.h"
#include "tensor/communicator.h"

namespace nmt {

/// The division of flat buffers of weights (see TrainingWeights) among the ranks of a run. Vectors come
/// first; they are small, and every rank has all of them. The matrices after them are split into buckets,
/// from the tail of the buffer on, because gradients become final there first. Each rank has its part of each
/// bucket (part_of), or the whole bucket if nothing is divided. A rank stores its elements without gaps in
/// buffers of size() elements.
class Shard {
 public:
  /// Consecutive elements of a rank.
  struct Piece {
    Part part;              // in the flat buffers
    std::int64_t place;     // index of the first element among the elements of the rank
    bool is_shared = true;  // whether all ranks have these elements
  };

  Shard() = default;
  /// `elements`: size of the buffers; `vectors`: how many of them belong to vectors; both are multiples of
  /// kPartAlignment. `bucket`: maximum elements of a bucket, unless there are so many ranks that parts would
  /// be too small.
  Shard(std::int64_t elements, std::int64_t vectors, int rank, int ranks, bool divided,
        std::int64_t bucket = kBucket);

  /// Whether there are elements that only one rank has.
  bool divided() const { return divided_; }
  /// Return the vectors, and the buckets of matrices from the tail of the buffers on. Either may be empty.
  const Part& vectors() const { return vectors_; }
  const std::vector<Part>& buckets() const { return buckets_; }
  /// Returns the elements of this rank, in order.
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::int64_t size() const { return size_; }
  /// Returns this rank's pieces of the given part.
  std::vector<Piece> pieces_in(const Part& part) const;
  /// Returns the shard of another rank in the same division.
  Shard of(int rank) const;

 private:
  static constexpr std::int64_t kBucket = std::int64_t{4} << 20;  // enough for the full bandwidth of a link

  void add(const Part& part, bool is_shared);

  Part vectors_;
  std::vector<Part> buckets_;
  int ranks_ = 1;
  bool divided_ = false;
  std::vector<Piece> pieces_;
  std::int64_t size_ = 0;
};

class ModelFile;

/// Memory for training a set of parameters. Each parameter is a span of one flat buffer of masters, vectors
/// before matrices, and its gradient is the same span of another buffer. So Adam is one launch, a sum over
/// ranks takes a few calls, and a checkpoint is a loop over names. If operations compute in another type than
/// that of the masters, they read matrices from a copy of the masters in their type. Gaps between parameters
/// contain zeros.
class TrainingWeights {
 public:
  /// Gives all parameters zeroed values and gradients on this device. `parameters` and `backend` must outlive
  /// this object.
  TrainingWeights(Parameters& parameters, Backend& backend);
  TrainingWeights(const TrainingWeights&) = delete;
  TrainingWeights& operator=(const TrainingWeights&) = delete;

  /// Set all values, randomly as nmt::initialize() does, or from a file as nmt::load() does. Call before
  /// distribute().
  void initialize(std::uint64_t seed);
  void load(const ModelFile& file);

  /// Makes the ranks of `ranks`, which have equal values, update them together from now on; `ranks` must
  /// outlive this object. With `divided`, a rank keeps only the masters of its shard, and operations read
  /// matrices from the compute copy.
  void distribute(Communicator& ranks, bool divided);
  /// Makes operations read matrices of weights as int8 inference does, with rows and the inputs of products
  /// rounded to 8 bits, while masters stay as they are (quantization-aware training: Jacob et al., 2018).
  /// Call after distribute().
  void read_as_int8();
  /// Returns which part of the flat buffers values() is, and how they are divided among the ranks.
  const Shard& shard() const { return shard_; }
  Communicator& ranks() const { return *ranks_; }

  /// Makes updates leave the parameters with these names as they are. Call after distribute().
  void freeze(const std::set<std::string>& names);
  /// Returns the pieces of shard() that updates change: everything that is not frozen.
  const std::vector<Shard::Piece>& trained() const { return trained_; }
  /// Whether updates change a parameter.
  bool trains(const Parameters::Entry& entry) const { return !frozen_.contains(entry.parameter.name); }

  /// Return the flat buffers [1, n] of masters (those in shard()) and of all gradients.
  const Tensor& values() const { return values_; }
  const Tensor& gradients() const { return gradients_; }
  /// Returns all values in the compute type; Adam writes those in shard(). Empty if masters have that type,
  /// are not divided, and are not read as int8.
  const Tensor& compute_copy() const { return compute_copy_; }
  /// Must be called on all ranks after anything but Adam has written values.
  void values_changed();
  /// Completes the compute copy. Must be called on all ranks after Adam has written values() and
  /// compute_copy().
  void updated();

  /// Calls `after_change` on every rank whenever values have changed, once operations can read them.
  void after_change(std::function<void()> after_change) { after_change_ = std::move(after_change); }

  /// Returns the span of a parameter in an undivided flat buffer: [rows, columns], or [1, columns] for
  /// vectors.
  static Tensor span(const Tensor& flat, const Parameters::Entry& entry);
  /// On rank 0, returns the elements of a part of a buffer laid out as values(), gathered from all ranks if
  /// divided; on other ranks, returns nothing. All ranks call this together.
  std::vector<std::byte> gather(Part wanted, const Tensor& flat, DType dtype) const;

  const Parameters& parameters() const { return parameters_; }
  Backend& backend() const { return backend_; }

 private:
  /// Assigns each parameter its place in the flat buffers.
  void lay_out();
  /// Divides the flat buffers among ranks.
  void divide(const Shard& shard);
  /// Makes what operations read complete after masters have changed.
  void complete_copy();
  /// Points the tensors of all parameters to their values and gradients.
  void point_into_buffers();
  /// Writes the values in shard() into the compute copy.
  void convert_values();

  Parameters& parameters_;
  Backend& backend_;
  std::int64_t size_ = 0, vectors_ = 0;  // elements of flat buffers, and elements of vectors
  SingleRank alone_;
  Communicator* ranks_ = &alone_;
  Shard shard_;
  std::set<std::string> frozen_;
  std::vector<Shard::Piece> trained_;
  bool reads_as_int8_ = false;
  Tensor values_, compute_copy_, gradients_;
  std::function<void()> after_change_;
};

}  // namespace nmt
