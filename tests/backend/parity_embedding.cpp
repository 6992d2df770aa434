#include "backend/parity.h"

namespace nmt::testing {
namespace {

struct EmbeddingShape {
  std::string name;
  std::int64_t rows, vocabulary, d;
  double dropout = 0;
  bool learned_positions = false, has_positions = true;
};

Results run(const EmbeddingShape& shape, Device& device, Random& random) {
  constexpr std::int64_t kLongest = 9;
  const std::int64_t rows = shape.rows;
  const std::int64_t d = shape.d;
  const Dropout dropout = make_dropout(device, shape.dropout, rows, mask_bytes(d));
  const Tensor ids =
      device.integers(1, rows, random.integers(rows, -1, static_cast<int>(shape.vocabulary) - 1));
  const Tensor positions = device.integers(1, rows, random.integers(rows, 0, kLongest - 1));
  const Tensor position_table = shape.has_positions ? normal_matrix(device, random, kLongest, d) : Tensor();
  const Tensor y = device.result(rows, d);
  device.backend().run(Embedding{.table = normal_matrix(device, random, shape.vocabulary, d),
                                 .ids = ids,
                                 .positions = positions,
                                 .position_table = position_table,
                                 .scale = 2.5,
                                 .dropout = dropout,
                                 .y = y});
  const Tensor d_table = normal_master(device, random, shape.vocabulary, d);
  const Tensor d_positions = shape.learned_positions ? normal_master(device, random, kLongest, d) : Tensor();
  device.backend().run(EmbeddingBackward{.ids = ids,
                                         .positions = positions,
                                         .scale = 2.5,
                                         .dropout = dropout,
                                         .dy = normal_matrix(device, random, rows, d),
                                         .d_table = d_table,
                                         .d_position_table = d_positions});
  return {{"y", y}, {"mask", dropout.mask}, {"d_table", d_table}, {"d_position_table", d_positions}};
}

}  // namespace

Operation embedding_operation() {
  return tabulate<EmbeddingShape>("embedding", 1e-5, 2,
                                  {{"no rows", 0, 5, 8},
                                   {"no rows, dropout", 0, 5, 8, 0.1},
                                   {"one row", 1, 1, 1},
                                   {"odd", 7, 11, 13},
                                   {"odd, dropout", 7, 11, 13, 0.1},
                                   {"learned positions", 40, 6, 17, 0, true},
                                   {"learned positions, dropout", 40, 6, 17, 0.3, true},
                                   {"no positions", 40, 6, 17, 0, false, false},
                                   {"no positions, dropout", 9, 6, 515, 0.3, false, false},
                                   {"one id many times", 300, 2, 64, 0.1},
                                   {"many rows", 1300, 30, 8, 0, true},
                                   {"large", 257, 100, 512, 0.1}},
                                  run);
}

}  // namespace nmt::testing
