#include "graph/operations.h"

namespace nmt {

Var cumulative_average(Graph& g, const Var& x, const Sequences& sequences) {
  Var y = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(CumulativeAverage{.x = x.value, .sequences = sequences.offsets, .y = y.value});
  g.record([&g, to = Var{{}, x.gradient}, offsets = sequences.offsets, slot = y.gradient] {
    const Tensor dy = std::move(*slot);
    const Tensor dx = g.allocate(dy.rows(), dy.columns());
    g.backend().run(CumulativeAverageBackward{.sequences = offsets, .dy = dy, .dx = dx});
    g.deposit(to, dx);
  });
  return y;
}

Var cached_average(Graph& g, const Var& x, const Sequences& sequences, const Tensor& sums,
                   const Tensor& index) {
  Var y = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(CachedAverage{
      .x = x.value, .sums = sums, .index = index, .position = sequences.positions, .y = y.value});
  return y;
}

Var gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(rows, d));
  GatedRecurrence forward{
      .gate = gate.value, .x = x.value, .sequences = sequences.offsets, .states = {}, .y = y.value};
  if (g.training()) forward.states = g.allocate_sums(rows, d);
  g.backend().run(forward);
  forward.y = {};
  g.record([&g, gate, x, forward, rows, d, slot = y.gradient] {
    const GatedRecurrenceBackward backward{
        .forward = forward, .dy = std::move(*slot), .dgate = g.allocate(rows, d), .dx = g.allocate(rows, d)};
    g.backend().run(backward);
    g.deposit(gate, backward.dgate);
    g.deposit(x, backward.dx);
  });
  return y;
}

Var cached_gated_recurrence(Graph& g, const Var& gate, const Var& x, const Sequences& sequences,
                            const Tensor& states, const Tensor& index) {
  Var y = g.variable(g.allocate(x.value.rows(), x.value.columns()));
  g.backend().run(CachedGatedRecurrence{.gate = gate.value,
                                        .x = x.value,
                                        .states = states,
                                        .index = index,
                                        .position = sequences.positions,
                                        .y = y.value});
  return y;
}

Var gated_sum(Graph& g, const Var& a, const Var& x, const Var& b, const Var& z) {
  const std::int64_t rows = x.value.rows(), d = x.value.columns();
  Var y = g.variable(g.allocate(rows, d));
  g.backend().run(GatedSum{.a = a.value, .x = x.value, .b = b.value, .z = z.value, .y = y.value});
  g.record([&g, a, x, b, z, rows, d, slot = y.gradient] {
    const GatedSumBackward backward{
        .forward = {.a = a.value, .x = x.value, .b = b.value, .z = z.value, .y = {}},
        .dy = std::move(*slot),
        .da = g.allocate(rows, d),
        .dx = g.allocate(rows, d),
        .db = g.allocate(rows, d),
        .dz = g.allocate(rows, d)};
    g.backend().run(backward);
    g.deposit(a, backward.da);
    g.deposit(x, backward.dx);
    g.deposit(b, backward.db);
    g.deposit(z, backward.dz);
  });
  return y;
}

}  // namespace nmt
