// SourceRows: where a decoder stores data for the sources of sentences.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace nmt {

/// Rows of sources within the memory of a decoder. Each tensor is written in one operation, however many
/// sentences it covers.
class SourceRows {
 public:
  /// Stores source i, of lengths[i] rows, in the rows from begins[i] on. Takes one transfer to the device.
  SourceRows(const Graph& g, const std::vector<std::int32_t>& lengths,
             const std::vector<std::int32_t>& begins);

  /// Writes `all` [rows of all sources, d], one source after another, to `kept` [source rows of the decoder,
  /// d].
  void write(const Tensor& all, const Tensor& kept) const { write(all, rows_, kept); }
  /// Writes `each` [sources, d] to the first row of each source in `kept` [source rows of the decoder, d].
  void write_first(const Tensor& each, const Tensor& kept) const { write(each, begins_, kept); }

 private:
  void write(const Tensor& from, const Tensor& places, const Tensor& to) const;

  Backend& backend_;
  Tensor rows_, begins_;  // i32 [places, 1]
  Tensor zeros_;          // i32 [1, places]: column of each place
};

}  // namespace nmt
