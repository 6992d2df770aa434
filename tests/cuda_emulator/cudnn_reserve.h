// The reserve space of a recurrent layer, by which its calls pass data on.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda_emulator/cudnn_layer.h"

namespace simt {

/// Returns the FNV-1a checksum; that of no data for a null address.
std::uint64_t checksum(const void* data, std::size_t bytes);

std::size_t reserve_bytes(const RecurrentShape& shape);

/// The beginning of the space, by which calls recognize each other's data.
struct ReserveHeader {
  enum class Stage : std::uint64_t { forward = 0x72657365727665, backward_data };
  Stage stage = Stage::forward;
  /// Checksums: of the shape, of what the forward call read and wrote, and of everything after this header.
  std::uint64_t shape = 0, x = 0, y = 0, hx = 0, cx = 0, weights = 0, content = 0;
};

/// Data of each row of a layer, in f32: the gates after their activation, what n takes of the state or the
/// cell state of an LSTM, and the gradients of the gates before their activation.
class Reserve {
 public:
  explicit Reserve(const RecurrentShape& shape);

  /// Loads the space. Returns false, and reports a finding, if it is not, or no longer, from a call of this
  /// stage.
  bool load(const void* space, ReserveHeader::Stage stage, const char* who);
  void store(void* space, const char* who);

  float& gate(int row, int gate, int f) { return gates_[index(row, gate, f)]; }
  float& gradient(int row, int gate, int f) { return gradients_[index(row, gate, f)]; }
  /// Returns the gradient of what a gate takes of the state; in n it differs from that of the input.
  float& recurrent_gradient(int row, int gate, int f) {
    return gradient(row, !shape_.is_lstm && gate == 2 ? 3 : gate, f);
  }

  ReserveHeader header;

 private:
  std::size_t index(int row, int gate, int f) const {
    return static_cast<std::size_t>(row) * width_ + static_cast<std::size_t>(gate * shape_.hidden + f);
  }
  std::size_t bytes() const { return gates_.size() * sizeof(float); }
  std::uint64_t content() const;

  const RecurrentShape& shape_;
  std::size_t width_;
  std::vector<float> gates_, gradients_;
};

}  // namespace simt
