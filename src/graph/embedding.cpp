#include "graph/operations.h"

namespace nmt {

Var embedding(Graph& g, const Parameter& table, const Tensor& ids, const Sequences& sequences,
              const Parameter& position_table, double scale) {
  Var y = g.variable(g.allocate(sequences.rows, table.value.columns()));
  const Dropout dropout = g.dropout(g.rates().sublayer, sequences, table.value.columns());
  g.backend().run(Embedding{.table = table.value,
                            .table_scale = table.scale,
                            .ids = ids,
                            .positions = sequences.positions,
                            .position_table = position_table.value,
                            .scale = scale,
                            .dropout = dropout,
                            .y = y.value});
  g.record([&g, ids, positions = sequences.positions, scale, dropout, slot = y.gradient,
            d_table = g.gradient(table), d_position_table = g.gradient(position_table)] {
    g.backend().run(EmbeddingBackward{.ids = ids,
                                      .positions = positions,
                                      .scale = scale,
                                      .dropout = dropout,
                                      .dy = std::move(*slot),
                                      .d_table = d_table,
                                      .d_position_table = d_position_table});
  });
  return y;
}

}  // namespace nmt
