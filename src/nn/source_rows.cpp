#include "nn/source_rows.h"

#include <algorithm>

#include "graph/upload.h"

namespace nmt {

SourceRows::SourceRows(const Graph& g, const std::vector<std::int32_t>& lengths,
                       const std::vector<std::int32_t>& begins)
    : backend_(g.backend()) {
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < begins.size(); ++i)
    for (std::int32_t row = 0; row < lengths[i]; ++row) rows.push_back(begins[i] + row);
  const std::vector<std::int32_t> zeros(std::max(rows.size(), begins.size()));
  Upload upload(g, 3, std::ssize(rows) + std::ssize(begins) + std::ssize(zeros));
  rows_ = upload.add(rows, std::ssize(rows), 1);
  begins_ = upload.add(begins, std::ssize(begins), 1);
  zeros_ = upload.add(zeros);
  upload.send();
}

void SourceRows::write(const Tensor& from, const Tensor& places, const Tensor& to) const {
  backend_.run(WriteStates{.states = from.slice_rows(0, places.rows()),
                           .index = places,
                           .position = zeros_.slice_columns(0, places.rows()),
                           .cache = to});
}

}  // namespace nmt
