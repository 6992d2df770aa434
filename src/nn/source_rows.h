// SourceRows: where a decoder keeps what it has of the sources of sentences.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace nmt {

/// Rows of sources, anywhere among those that a decoder has room for. All of a tensor are written at once,
/// however many sentences they belong to.
class SourceRows {
 public:
  /// Source i, of lengths[i] rows, has those from begins[i] on. Takes one transfer to the device.
  SourceRows(const Graph& g, const std::vector<std::int32_t>& lengths,
             const std::vector<std::int32_t>& begins);

  /// `all` [rows of all sources, d], one source after another, to `kept` [source rows of the decoder, d].
  void write(const Tensor& all, const Tensor& kept) const { write(all, rows_, kept); }
  /// `each` [sources, d] to the first row of each source in `kept` [source rows of the decoder, d].
  void write_first(const Tensor& each, const Tensor& kept) const { write(each, begins_, kept); }

 private:
  void write(const Tensor& from, const Tensor& places, const Tensor& to) const;

  Backend& backend_;
  Tensor rows_, begins_;  // i32 [places, 1]
  Tensor zeros_;          // i32 [1, places]: the column of each
};

}  // namespace nmt
