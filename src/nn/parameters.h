// Parameters: the weights of a model by name, for training or for inference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/parameter.h"
#include "nn/file_weights.h"
#include "nn/shard.h"

namespace nmt {

/// How the elements of a parameter start.
enum class Initializer : std::uint8_t {
  zeros,
  ones,
  glorot,   // uniform in +-sqrt(6 / (rows + columns)) (Glorot and Bengio, 2010): a matrix for products alone
  glorot3,  // three square matrices one below the other, each glorot: the fused projection of attention
  output,   // glorot: an output layer, a row for each word
  embedding,  // normal with standard deviation columns^-0.5: a table of words
  positions,  // the same: a table of positions, which are added to words
};

/// Which rows of output layers inference reads.
enum class OutputRows : std::uint8_t {
  all,
  selected,  // those that a search looks up, before products read them (SelectRows)
};

/// A registry: layers add what they need when they are made; then allocate() gives all of it memory at once.
/// Each is read in the type that Precision names: matrices for products and tables of words as matrices of
/// weights, tables of positions as activations, vectors (biases, gains), few as they are, as masters.
/// In training, each is a span of one flat buffer of masters, vectors before matrices, so Adam is one launch,
/// a sum over ranks is a few calls, and a checkpoint is a walk over names. The masters can be divided among
/// ranks. For inference there are none.
class Parameters {
 public:
  Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// Adds a matrix [rows, columns], or a vector when `rows` is 0. The reference stays valid; its tensors come
  /// with allocate(). Names are those of PyTorch's modules.
  Parameter& add(const std::string& name, std::int64_t rows, std::int64_t columns, Initializer initializer);

  /// Memory for all values, zeroed: with `gradients`, for training, the flat buffers of masters and
  /// gradients, and one of the type that the backend computes in where that is another; without them, for
  /// inference alone, each value in the type it is read in. `backend` must outlive this. Throws Error where a
  /// matrix is too wide for the type of weights.
  void allocate(Backend& backend, bool gradients);
  /// Draws all values; the same seed gives the same values on every backend, to the rounding of its types.
  void initialize(std::uint64_t seed);
  /// Throws Error when the tensors of a file are not these: a name is missing or unknown, a shape is
  /// another, or elements are not of a type that weights can have (see FileWeights).
  void check(const ModelFile& file) const;
  /// Takes the values from a file after check(), one after the other, each converted to the type it has here.
  void load(const ModelFile& file);
  /// Fills any buffer laid out as values() from the tensors whose names are those of the parameters behind
  /// `prefix`. Throws as load() does, but other tensors may be there.
  void load(const ModelFile& file, const std::string& prefix, const Tensor& flat) const;
  /// The other way round: any such buffer, of which nothing is divided, as tensors of a file with elements of
  /// `dtype`, which are made when they are written. This must outlive them.
  std::vector<FileTensor> tensors(const std::string& prefix, const Tensor& flat, DType dtype) const;
  struct Entry;
  /// The same where `bytes` makes the elements of a parameter.
  using Bytes = std::function<std::vector<std::byte>(const Entry&)>;
  std::vector<FileTensor> tensors(const std::string& prefix, DType dtype, const Bytes& bytes) const;
  /// On rank 0: the elements of a parameter in such a buffer, with what is divided gathered from all ranks,
  /// which call this at the same time; on the others nothing.
  std::vector<std::byte> gather(const Entry& entry, const Tensor& flat, DType dtype) const;

  /// The number of weights.
  std::int64_t count() const;
  /// The same by part: what stands before the first dot of their names ("encoder", "embedding").
  std::map<std::string, std::int64_t> count_by_part() const;
  /// Each parameter with its shape as in files ([columns] for vectors), in the order of adding.
  struct Entry {
    Parameter parameter;
    std::int64_t rows, columns;  // rows 0: a vector
    Initializer initializer;
    std::int64_t offset;  // of its first element in the flat buffers
    std::int64_t size() const { return std::max<std::int64_t>(rows, 1) * columns; }
    /// Its elements in the flat buffers.
    Part part() const { return {offset, size()}; }
    std::vector<std::int64_t> shape() const;
    /// Whether it is a matrix of weights in the sense of Precision: for products, or a table of words.
    bool is_matrix_of_weights() const;
    /// The type in which it is read.
    DType type_in(const Precision& precision) const;
    /// Its weights in a file, where `prefix` stands before its name.
    FileWeights in_file(const ModelFile& file, const std::string& prefix = "") const;
  };
  const std::deque<Entry>& entries() const { return entries_; }
  /// Gives a parameter these values, row after row. values_changed() has to follow.
  void assign(const Entry& entry, const std::vector<double>& values);
  /// The part of a flat buffer that belongs to a parameter: [rows, columns], [1, columns] for vectors.
  static Tensor span(const Tensor& flat, const Entry& entry);

  /// From now on the ranks of `ranks`, which have the same values, update them together; it must outlive
  /// this. With `divided`, a rank keeps the masters of its shard alone, and operations read matrices from the
  /// mirror.
  void share(Communicator& ranks, bool divided);
  /// What of the flat buffers values() are, and how all of them belong to the ranks.
  const Shard& shard() const { return shard_; }
  Communicator& ranks() const { return *ranks_; }

  /// The flat buffers [1, n] of masters (of those in shard()) and of all gradients; gaps between parameters
  /// hold zeros. For inference, empty.
  const Tensor& values() const { return values_; }
  const Tensor& gradients() const { return gradients_; }
  /// All values in the type that is computed in, for Adam to write those in shard(); empty where masters are
  /// of that type and not divided.
  const Tensor& mirror() const { return mirror_; }
  /// Must be called, on all ranks, after values were written by anything but Adam.
  void values_changed();
  /// Must be called, on all ranks, after Adam has written values() and mirror(): completes the mirror.
  void updated();
  /// From now on the parameters serve inference alone and never change: matrices for products alone are laid
  /// out for these (Backend::lay_out_for_products), output layers unless their rows are looked up, and
  /// values() and mirror() are gone.
  void freeze(OutputRows output = OutputRows::all);
  Backend& backend() const { return *backend_; }

 private:
  /// Gives each parameter its place in the flat buffers.
  void lay_out();
  void allocate_for_training();
  /// Lets operations find values and gradients.
  void point_into_buffers();
  void allocate_for_inference();

  std::deque<Entry> entries_;
  std::int64_t size_ = 0, vectors_ = 0;  // elements of flat buffers, and of the vectors among them
  SingleRank alone_;
  Communicator* ranks_ = &alone_;
  Shard shard_;
  Backend* backend_ = nullptr;
  Tensor values_, mirror_, gradients_;
};

}  // namespace nmt
