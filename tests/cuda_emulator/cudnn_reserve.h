// The reserve space of a recurrent layer: what its calls leave for each other.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda_emulator/cudnn_layer.h"

namespace simt {

/// FNV-1a; of no data at all where there is no address.
std::uint64_t checksum(const void* data, std::size_t bytes);

std::size_t reserve_bytes(const RecurrentShape& shape);

/// Its beginning, by which calls know each other.
struct ReserveHeader {
  enum class Stage : std::uint64_t { forward = 0x72657365727665, backward_data };
  Stage stage = Stage::forward;
  /// Checksums: of the shape, of what the forward call read and wrote, and of all that follows.
  std::uint64_t shape = 0, x = 0, y = 0, hx = 0, cx = 0, weights = 0, content = 0;
};

/// Of each row of a layer, all in f32: the gates as they are after their activation, and beside them what n
/// takes of the state, or the memory of an LSTM; and the gradients of what they take before it.
class Reserve {
 public:
  explicit Reserve(const RecurrentShape& shape);

  /// False, and a finding, where it is not that of a call of this stage, or is no longer.
  bool load(const void* space, ReserveHeader::Stage stage, const char* who);
  void store(void* space, const char* who);

  float& gate(int row, int gate, int f) { return gates_[index(row, gate, f)]; }
  float& gradient(int row, int gate, int f) { return gradients_[index(row, gate, f)]; }
  /// That of what a gate takes of the state: another one than of the input in n.
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
