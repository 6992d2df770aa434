// Position embeddings (Vaswani et al., 2017, section 3.5): tables of computed positions.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "graph/graph.h"

namespace nmt {

/// The kind of position embeddings.
enum class Positions : std::uint8_t {
  sinusoidal,         // as in the paper: sine and cosine alternate
  sinusoidal_halves,  // all sines, then all cosines
  tensor2tensor,      // all sines, then all cosines, with the rates of Tensor2Tensor, Marian and M2M-100
  learned,
  rotary,    // nothing is added to embeddings: self-attention rotates queries and keys (see Rotate)
  relative,  // none are added: a trained bias of attention scores depends on distances (Raffel et al., 2020)
  shaw,      // none are added: vectors of distances are added to keys and values (Shaw et al., 2018)
  alibi,     // none are added: a bias of attention scores grows with the distance (Press et al., 2022)
  none,
};

/// Whether positions of this kind are added to embeddings.
constexpr bool are_added(Positions kind) {
  return kind != Positions::rotary && kind != Positions::relative && kind != Positions::shaw &&
         kind != Positions::alibi && kind != Positions::none;
}

/// Returns the sinusoids of positions first, first + 1 and so on, row-major [positions, d], for these kinds:
///   sinusoidal         PE(pos, 2i) = sin(pos w_i), PE(pos, 2i + 1) = cos(pos w_i), w_i = 10000^(-2i / d)
///   sinusoidal_halves  PE(pos, i) = sin(pos w_i), PE(pos, d/2 + i) = cos(pos w_i), the same w_i; d is even
///   tensor2tensor      as halves with w_i = 10000^(-i / (d/2 - 1)); d is even, and at least 4
///   rotary             as halves; d is the width of a head
std::vector<double> sinusoid_table(Positions kind, std::int64_t first, std::int64_t positions,
                                   std::int64_t d);

/// The sinusoids of a model on its device, computed on demand. Thread-safe.
class Sinusoids {
 public:
  /// `first`: number of the first position. `d`: width of the table.
  Sinusoids(Positions kind, std::int64_t first, std::int64_t d) : kind_(kind), first_(first), d_(d) {}

  /// Returns a table of at least `positions` sinusoids, [n, d]: of the backend's compute type, or of its sum
  /// type for rotary positions.
  Parameter at_least(const Graph& g, std::int64_t positions) const;

  /// Returns these sinusoids if positions are rotary, else null.
  const Sinusoids* if_rotary() const { return kind_ == Positions::rotary ? this : nullptr; }

 private:
  Positions kind_;
  std::int64_t first_, d_;
  // Constant tables; the last one is for the longest sequence seen by any thread. Earlier tables stay because
  // other threads may still read them.
  mutable std::mutex guard_;
  mutable std::vector<Tensor> tables_;
};

}  // namespace nmt
