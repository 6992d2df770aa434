#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "backend/reference/product.h"
#include "backend/reference/reference.h"

namespace nmt {
namespace {

/// Returns the contribution of the input to a gate (0 without an input), plus the bias.
double input_of(const RecurrentStep& step, std::int64_t row, std::int64_t column) {
  return (step.x ? step.x.row<double>(row)[column] : 0) + (step.bias ? step.bias.row<double>(0)[column] : 0);
}

/// Stores the gradients of the contributions of the input and of the state to gate number `gate` of element
/// f.
void put_gradient(const RecurrentStepBackward& step, std::int64_t row, std::int64_t f, std::int64_t gate,
                  double d_x, double d_u) {
  const std::int64_t column = gate * step.d_previous.columns() + f;
  if (step.d_x) step.d_x.row<double>(row)[column] = d_x;
  step.d_u.row<double>(row)[column] = d_u;
  if (step.d_bias) step.d_bias.row<double>(0)[column] += d_x;
}

/// Element f of a row of a GRU.
struct GruElement {
  GruElement(const RecurrentStep& step, std::int64_t row, std::int64_t f) {
    const std::int64_t h = step.previous.columns();
    const double* u = step.u.row<double>(row);
    r = sigmoid(input_of(step, row, f) + u[f]);
    z = sigmoid(input_of(step, row, h + f) + u[h + f]);
    u_n = u[2 * h + f];
    n = std::tanh(input_of(step, row, 2 * h + f) + r * u_n);
    previous = step.previous.row<double>(row)[f];
  }
  double r, z, u_n, n, previous;
};

void differentiate_gru(const RecurrentStepBackward& step, std::int64_t row, std::int64_t f) {
  const auto [r, z, u_n, n, previous] = GruElement(step.forward, row, f);
  const double d_state = step.d_state.row<double>(row)[f];
  const double d_n = d_state * (1 - z) * (1 - n * n);
  const double d_z = d_state * (previous - n) * z * (1 - z);
  const double d_r = d_n * u_n * r * (1 - r);
  put_gradient(step, row, f, 0, d_r, d_r);
  put_gradient(step, row, f, 1, d_z, d_z);
  put_gradient(step, row, f, 2, d_n, d_n * r);
  step.d_previous.row<double>(row)[f] = d_state * z;
}

/// Element f of a row of an LSTM.
struct LstmElement {
  LstmElement(const RecurrentStep& step, std::int64_t row, std::int64_t f) {
    const std::int64_t h = step.previous.columns();
    const auto argument = [&](std::int64_t gate) {
      return input_of(step, row, gate * h + f) + step.u.row<double>(row)[gate * h + f];
    };
    i = sigmoid(argument(0));
    forget = sigmoid(argument(1));
    g = std::tanh(argument(2));
    o = sigmoid(argument(3));
    previous = step.previous.row<double>(row)[f];
    memory = forget * previous + i * g;
  }
  double i, forget, g, o, previous, memory;
};

void differentiate_lstm(const RecurrentStepBackward& step, std::int64_t row, std::int64_t f) {
  const auto [i, forget, g, o, previous, memory] = LstmElement(step.forward, row, f);
  const double d_state = step.d_state.row<double>(row)[f], tanh = std::tanh(memory);
  const double d_memory =
      d_state * o * (1 - tanh * tanh) + (step.d_memory ? step.d_memory.row<double>(row)[f] : 0);
  const std::array gradients{d_memory * g * i * (1 - i), d_memory * previous * forget * (1 - forget),
                             d_memory * i * (1 - g * g), d_state * tanh * o * (1 - o)};
  for (std::size_t gate = 0; gate < gradients.size(); ++gate)
    put_gradient(step, row, f, static_cast<std::int64_t>(gate), gradients[gate], gradients[gate]);
  step.d_previous.row<double>(row)[f] = d_memory * forget;
}

}  // namespace

void ReferenceBackend::run(const RecurrentStep& step) {
  for (std::int64_t row = 0; row < step.state.rows(); ++row)
    for (std::int64_t f = 0; f < step.state.columns(); ++f) {
      double& state = step.state.row<double>(row)[f];
      if (step.cell == RecurrentCell::gru) {
        const GruElement e(step, row, f);
        state = (1 - e.z) * e.n + e.z * e.previous;
      } else {
        const LstmElement e(step, row, f);
        step.memory.row<double>(row)[f] = e.memory;
        state = e.o * std::tanh(e.memory);
      }
    }
}

void ReferenceBackend::run(const RecurrentStepBackward& step) {
  const bool is_gru = step.forward.cell == RecurrentCell::gru;
  for (std::int64_t row = 0; row < step.d_previous.rows(); ++row)
    for (std::int64_t f = 0; f < step.d_previous.columns(); ++f)
      is_gru ? differentiate_gru(step, row, f) : differentiate_lstm(step, row, f);
}

void ReferenceBackend::run(const SequenceMean& mean) {
  for (std::int64_t s = 0; s < mean.sequences.count; ++s) {
    const std::int64_t begin = mean.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = mean.sequences.length.data<std::int32_t>()[s];
    for (std::int64_t f = 0; f < mean.y.columns(); ++f) {
      double sum = 0;
      for (std::int64_t i = 0; i < length; ++i) sum += mean.x.row<double>(begin + i)[f];
      mean.y.row<double>(s)[f] = length == 0 ? 0 : sum / static_cast<double>(length);
    }
  }
}

void ReferenceBackend::run(const SequenceMeanBackward& mean) {
  for (std::int64_t s = 0; s < mean.sequences.count; ++s) {
    const std::int64_t begin = mean.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = mean.sequences.length.data<std::int32_t>()[s];
    for (std::int64_t i = 0; i < length; ++i)
      for (std::int64_t f = 0; f < mean.dy.columns(); ++f)
        mean.dx.row<double>(begin + i)[f] = mean.dy.row<double>(s)[f] / static_cast<double>(length);
  }
}

void ReferenceBackend::run(const TanhOfSum& tanh) {
  for (std::int64_t row = 0; row < tanh.y.rows(); ++row)
    for (std::int64_t f = 0; f < tanh.y.columns(); ++f) {
      double sum = 0;
      for (const Tensor& x : tanh.x) sum += x.row<double>(row)[f];
      tanh.y.row<double>(row)[f] = std::tanh(sum);
    }
}

void ReferenceBackend::run(const TanhOfSumBackward& tanh) {
  for (std::int64_t row = 0; row < tanh.y.rows(); ++row)
    for (std::int64_t f = 0; f < tanh.y.columns(); ++f) {
      const double y = tanh.y.row<double>(row)[f];
      tanh.dx.row<double>(row)[f] = tanh.dy.row<double>(row)[f] * (1 - y * y);
    }
}

namespace {

/// Returns the cache row of row `row` of a step, initialized with the cache row of the previous token, or
/// with zeros for the first token.
double* continued(const Tensor& cache, const Tensor& index, const Tensor& position, std::int64_t row) {
  const auto* places = index.row<std::int32_t>(row);
  const std::int32_t t = position.data<std::int32_t>()[row];
  double* own = cache.row<double>(places[t]);
  if (t == 0)
    std::fill_n(own, cache.columns(), 0.0);
  else
    std::copy_n(cache.row<double>(places[t - 1]), cache.columns(), own);
  return own;
}

/// Computes a mean: row `row` is number t of its sequence, counted from 1, and `sums` contains the sums of
/// the rows before it.
void extend_average(const Tensor& x, const Tensor& y, std::int64_t row, std::int64_t t, double* sums) {
  for (std::int64_t f = 0; f < x.columns(); ++f) {
    sums[f] += x.row<double>(row)[f];
    y.row<double>(row)[f] = 1 / static_cast<double>(t) * sums[f];
  }
}

/// Computes a step: `states` contains the states of the previous row, and afterwards those of this row.
void extend_states(const Tensor& gate, const Tensor& x, const Tensor& y, std::int64_t row, double* states) {
  for (std::int64_t f = 0; f < x.columns(); ++f) {
    const double input = x.row<double>(row)[f];
    states[f] = input + sigmoid(gate.row<double>(row)[f]) * (states[f] - input);
    y.row<double>(row)[f] = states[f] > 0 ? states[f] : 0;
  }
}

}  // namespace

void ReferenceBackend::run(const CumulativeAverage& average) {
  for (std::int64_t s = 0; s < average.sequences.count; ++s) {
    const std::int64_t begin = average.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = average.sequences.length.data<std::int32_t>()[s];
    std::vector<double> sums(static_cast<std::size_t>(average.x.columns()));
    for (std::int64_t t = 1; t <= length; ++t)
      extend_average(average.x, average.y, begin + t - 1, t, sums.data());
  }
}

void ReferenceBackend::run(const CumulativeAverageBackward& average) {
  for (std::int64_t s = 0; s < average.sequences.count; ++s) {
    const std::int64_t begin = average.sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = average.sequences.length.data<std::int32_t>()[s];
    std::vector<double> sums(static_cast<std::size_t>(average.dy.columns()));
    for (std::int64_t t = length; t >= 1; --t)
      for (std::size_t f = 0; f < sums.size(); ++f) {
        sums[f] += average.dy.row<double>(begin + t - 1)[f] / static_cast<double>(t);
        average.dx.row<double>(begin + t - 1)[f] = sums[f];
      }
  }
}

void ReferenceBackend::run(const CachedAverage& average) {
  for (std::int64_t r = 0; r < average.x.rows(); ++r) {
    const std::int32_t position = average.position.data<std::int32_t>()[r];
    extend_average(average.x, average.y, r, position + 1,
                   continued(average.sums, average.index, average.position, r));
  }
}

void ReferenceBackend::run(const GatedRecurrence& recurrence) {
  const auto& [gate, x, sequences, kept, y] = recurrence;
  for (std::int64_t s = 0; s < sequences.count; ++s) {
    const std::int64_t begin = sequences.begin.data<std::int32_t>()[s];
    const std::int64_t end = begin + sequences.length.data<std::int32_t>()[s];
    std::vector<double> states(static_cast<std::size_t>(x.columns()));
    for (std::int64_t row = begin; row < end; ++row) {
      extend_states(gate, x, y, row, states.data());
      if (kept) std::ranges::copy(states, kept.row<double>(row));
    }
  }
}

void ReferenceBackend::run(const GatedRecurrenceBackward& recurrence) {
  const auto& [gate, x, sequences, states, y] = recurrence.forward;
  for (std::int64_t s = 0; s < sequences.count; ++s) {
    const std::int64_t begin = sequences.begin.data<std::int32_t>()[s];
    const std::int64_t length = sequences.length.data<std::int32_t>()[s];
    std::vector<double> later(static_cast<std::size_t>(x.columns()));  // f_{t+1} dc_{t+1}
    for (std::int64_t row = begin + length - 1; row >= begin; --row)
      for (std::size_t f = 0; f < later.size(); ++f) {
        const double state = states.row<double>(row)[f], open = sigmoid(gate.row<double>(row)[f]);
        const double gradient = later[f] + (state > 0 ? recurrence.dy.row<double>(row)[f] : 0);
        recurrence.dx.row<double>(row)[f] = (1 - open) * gradient;
        recurrence.dgate.row<double>(row)[f] = (1 - open) * (state - x.row<double>(row)[f]) * gradient;
        later[f] = open * gradient;
      }
  }
}

void ReferenceBackend::run(const CachedGatedRecurrence& recurrence) {
  const auto& [gate, x, states, index, position, y] = recurrence;
  for (std::int64_t r = 0; r < x.rows(); ++r)
    extend_states(gate, x, y, r, continued(states, index, position, r));
}

void ReferenceBackend::run(const GatedSum& sum) {
  for (std::int64_t r = 0; r < sum.y.rows(); ++r)
    for (std::int64_t f = 0; f < sum.y.columns(); ++f)
      sum.y.row<double>(r)[f] = sigmoid(sum.a.row<double>(r)[f]) * sum.x.row<double>(r)[f] +
                                sigmoid(sum.b.row<double>(r)[f]) * sum.z.row<double>(r)[f];
}

void ReferenceBackend::run(const GatedSumBackward& sum) {
  const auto differentiate = [&](const Tensor& a, const Tensor& x, const Tensor& da, const Tensor& dx) {
    for (std::int64_t r = 0; r < sum.dy.rows(); ++r)
      for (std::int64_t f = 0; f < sum.dy.columns(); ++f) {
        const double dy = sum.dy.row<double>(r)[f], open = sigmoid(a.row<double>(r)[f]);
        dx.row<double>(r)[f] = open * dy;
        da.row<double>(r)[f] = open * (1 - open) * x.row<double>(r)[f] * dy;
      }
  };
  differentiate(sum.forward.a, sum.forward.x, sum.da, sum.dx);
  differentiate(sum.forward.b, sum.forward.z, sum.db, sum.dz);
}

namespace {

/// Calls body(query, first key, keys) for each row of a query.
template <class Body>
void for_queries(const RecurrentAttention& attention, const Body& body) {
  for (std::int64_t s = 0; s < attention.queries.count; ++s) {
    const std::int64_t first = attention.queries.begin.data<std::int32_t>()[s];
    const std::int64_t key = attention.keys.begin.data<std::int32_t>()[s];
    for (std::int64_t i = 0; i < attention.queries.length.data<std::int32_t>()[s]; ++i)
      body(first + i, key, attention.keys.length.data<std::int32_t>()[s]);
  }
}

double tanh_of(const RecurrentAttention& attention, std::int64_t query, std::int64_t key, std::int64_t f) {
  return std::tanh(attention.key.row<double>(key)[f] + attention.query.row<double>(query)[f]);
}

double energy_of(const RecurrentAttention& attention, std::int64_t query, std::int64_t key) {
  double energy = 0;
  for (std::int64_t f = 0; f < attention.query.columns(); ++f) {
    energy += attention.energy_weight
                  ? attention.energy_weight.row<double>(0)[f] * tanh_of(attention, query, key, f)
                  : attention.key.row<double>(key)[f] * attention.query.row<double>(query)[f];
  }
  return energy;
}

/// Computes the gradients of everything that contributes to the energy of a key.
void differentiate_energy(const RecurrentAttentionBackward& attention, std::int64_t query, std::int64_t key,
                          double d_energy) {
  const RecurrentAttention& forward = attention.forward;
  for (std::int64_t f = 0; f < attention.d_query.columns(); ++f) {
    double& d_query = attention.d_query.row<double>(query)[f];
    double& d_key = attention.d_key.row<double>(key)[f];
    if (!forward.energy_weight) {
      d_query += d_energy * forward.key.row<double>(key)[f];
      d_key += d_energy * forward.query.row<double>(query)[f];
      continue;
    }
    const double tanh = tanh_of(forward, query, key, f);
    const double d_sum = d_energy * forward.energy_weight.row<double>(0)[f] * (1 - tanh * tanh);
    d_query += d_sum;
    d_key += d_sum;
    attention.d_energy_weight.row<double>(0)[f] += d_energy * tanh;
  }
}

}  // namespace

void ReferenceBackend::run(const RecurrentAttention& attention) {
  for_queries(attention, [&](std::int64_t query, std::int64_t first, std::int64_t keys) {
    double* weights = attention.weights.row<double>(query);
    std::fill_n(weights, attention.weights.columns(), 0.0);
    for (std::int64_t j = 0; j < keys; ++j) weights[j] = energy_of(attention, query, first + j);
    const double total = log_sum_exp(weights, keys);
    double* output = attention.output.row<double>(query);
    std::fill_n(output, attention.output.columns(), 0.0);
    for (std::int64_t j = 0; j < keys; ++j) {
      weights[j] = std::exp(weights[j] - total);
      for (std::int64_t f = 0; f < attention.output.columns(); ++f)
        output[f] += weights[j] * attention.value.row<double>(first + j)[f];
    }
  });
}

/// Computes the gradients. The gradient of energy j is w_j (p_j - sum_k w_k p_k), where p_j is the product of
/// d_output and value j.
void ReferenceBackend::run(const RecurrentAttentionBackward& attention) {
  const RecurrentAttention& forward = attention.forward;
  for_queries(forward, [&](std::int64_t query, std::int64_t first, std::int64_t keys) {
    const double* weights = forward.weights.row<double>(query);
    const double* d_output = attention.d_output.row<double>(query);
    std::vector<double> products(static_cast<std::size_t>(keys));
    double mean = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      for (std::int64_t f = 0; f < attention.d_output.columns(); ++f) {
        products[static_cast<std::size_t>(j)] += d_output[f] * forward.value.row<double>(first + j)[f];
        attention.d_value.row<double>(first + j)[f] += weights[j] * d_output[f];
      }
      mean += weights[j] * products[static_cast<std::size_t>(j)];
    }
    std::fill_n(attention.d_query.row<double>(query), attention.d_query.columns(), 0.0);
    for (std::int64_t j = 0; j < keys; ++j) {
      const double added = attention.d_energies ? attention.d_energies.row<double>(query)[j] : 0;
      differentiate_energy(attention, query, first + j,
                           weights[j] * (products[static_cast<std::size_t>(j)] - mean) + added);
    }
  });
}

void ReferenceBackend::run(const ReadStates& read) {
  for (std::int64_t s = 0; s < read.sentences.count; ++s) {
    const std::int64_t begin = read.sentences.begin.data<std::int32_t>()[s];
    const std::int64_t length = read.sentences.length.data<std::int32_t>()[s];
    for (std::int64_t r = begin; r < begin + length; ++r) {
      const std::int32_t position = read.position.data<std::int32_t>()[r];
      const char* from = position == 0 ? read.start.raw_row(read.begin.data<std::int32_t>()[s])
                                       : read.cache.raw_row(read.index.row<std::int32_t>(r)[position - 1]);
      std::copy_n(from, read.states.row_bytes(), read.states.raw_row(r));
    }
  }
}

void ReferenceBackend::run(const WriteStates& write) {
  for (std::int64_t r = 0; r < write.states.rows(); ++r) {
    const std::int32_t position = write.position.data<std::int32_t>()[r];
    const std::int32_t place = write.index.row<std::int32_t>(r)[position];
    if (place < 0) continue;
    char* to = write.cache.raw_row(place);
    std::copy_n(write.states.raw_row(r), write.states.row_bytes(), to);
  }
}

}  // namespace nmt
